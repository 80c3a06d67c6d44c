# The two commands of the README: `make demo` and `make test`. Both bring what
# is missing into .tools and leave the machine alone otherwise.

TOOLS  := $(CURDIR)/.tools
PYTHON := $(TOOLS)/venv/bin/python
PYTEST := 9.2.0
# FLAGS are passed to go test, such as FLAGS=-race.
FLAGS  :=

.PHONY: demo test build python generate clean

demo: build python
	TILEGATE_PYTHON=$(PYTHON) bin/tilegate demo --once

test: python
	TILEGATE_PYTHON=$(PYTHON) go test $(FLAGS) ./...

build:
	go build -o bin/tilegate ./cmd/tilegate

python: $(TOOLS)/venv/pytest-$(PYTEST)

$(TOOLS)/venv/pytest-$(PYTEST):
	python3 -m venv $(TOOLS)/venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check pytest==$(PYTEST)
	touch $@

# Writes everything that is generated from code: the rule list, the pages and
# tables under docs, the tables in README.md.
generate:
	go generate ./...
	go test ./checks/rules/all ./checks/gate ./bot/commands -update
	go test ./cmd/tilegate -run Schema -update

clean:
	rm -rf bin $(TOOLS)
