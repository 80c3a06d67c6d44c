"""Options and test ids. A dash inside a parameter becomes an underscore, so that
dashes only separate parameters."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--arch", type=str, default="cpu", help="Device type")


@pytest.fixture
def arch(request):
    return request.config.getoption("--arch")


def pytest_make_parametrize_id(config, val, argname):
    return repr(val).replace("-", "_") if not isinstance(val, str) else val.replace("-", "_")
