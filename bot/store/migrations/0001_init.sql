-- Times are milliseconds since the epoch, UTC; 0 means never.

CREATE TABLE deliveries (
  guid     TEXT PRIMARY KEY,
  event    TEXT NOT NULL,
  action   TEXT NOT NULL,
  payload  BLOB NOT NULL,
  received INTEGER NOT NULL,
  handled  INTEGER NOT NULL DEFAULT 0,
  outcome  TEXT NOT NULL DEFAULT ''
);
CREATE INDEX deliveries_open ON deliveries (received) WHERE handled = 0;

CREATE TABLE installations (
  id         INTEGER PRIMARY KEY,
  not_before INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE repos (
  repo         TEXT PRIMARY KEY,
  installation INTEGER NOT NULL,
  opted_in     INTEGER NOT NULL DEFAULT 0
);

-- A target is what a gate belongs to: a pull request or a merge group.
CREATE TABLE targets (
  key          TEXT PRIMARY KEY,
  repo         TEXT NOT NULL,
  installation INTEGER NOT NULL,
  number       INTEGER NOT NULL,
  head_sha     TEXT NOT NULL,
  base_ref     TEXT NOT NULL,
  base_sha     TEXT NOT NULL DEFAULT '',
  author       TEXT NOT NULL DEFAULT '',
  open         INTEGER NOT NULL DEFAULT 1,
  failures     INTEGER NOT NULL DEFAULT 0,
  next_look    INTEGER NOT NULL DEFAULT 0, -- everything is looked at
  next_poll    INTEGER NOT NULL DEFAULT 0, -- only runs under way are
  rerun        INTEGER NOT NULL DEFAULT 0,
  tree         BLOB,
  updated      INTEGER NOT NULL
);
CREATE INDEX targets_due ON targets (next_look) WHERE next_look > 0;
CREATE INDEX targets_poll ON targets (next_poll) WHERE next_poll > 0;

CREATE TABLE heads (
  repo     TEXT NOT NULL,
  sha      TEXT NOT NULL,
  target   TEXT NOT NULL,
  received INTEGER NOT NULL,
  PRIMARY KEY (repo, sha, target)
);

CREATE TABLE dispatches (
  id           TEXT PRIMARY KEY,
  target       TEXT NOT NULL,
  repo         TEXT NOT NULL,
  installation INTEGER NOT NULL,
  head_sha     TEXT NOT NULL,
  base_sha     TEXT NOT NULL,
  gpu          TEXT NOT NULL,
  request      BLOB NOT NULL,
  workflow     TEXT NOT NULL,
  ref          TEXT NOT NULL,
  labels       TEXT NOT NULL DEFAULT '[]',
  cause        TEXT NOT NULL,
  attempt      INTEGER NOT NULL DEFAULT 1,
  state        TEXT NOT NULL,
  note         TEXT NOT NULL DEFAULT '',
  run_id       INTEGER NOT NULL DEFAULT 0,
  run_url      TEXT NOT NULL DEFAULT '',
  created      INTEGER NOT NULL,
  sent         INTEGER NOT NULL DEFAULT 0,
  started      INTEGER NOT NULL DEFAULT 0,
  finished     INTEGER NOT NULL DEFAULT 0,
  late         INTEGER NOT NULL DEFAULT 0 -- 1: its run completed after the dispatch had ended
);
CREATE INDEX dispatches_target ON dispatches (target, head_sha);
CREATE INDEX dispatches_run ON dispatches (repo, run_id);

CREATE TABLE results (
  dispatch TEXT NOT NULL REFERENCES dispatches (id),
  stage    TEXT NOT NULL,
  kernel   TEXT NOT NULL,
  gpu      TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  sentence TEXT NOT NULL,
  verdict  BLOB NOT NULL,
  evidence TEXT NOT NULL DEFAULT '',
  content  TEXT NOT NULL DEFAULT '', -- names what was tested; empty: not known
  environment TEXT NOT NULL DEFAULT '', -- names the kind of host
  runner   TEXT NOT NULL DEFAULT '',
  job_url  TEXT NOT NULL DEFAULT '',
  recorded INTEGER NOT NULL,
  PRIMARY KEY (dispatch, stage, kernel)
);

CREATE INDEX results_content ON results (content, kernel, gpu) WHERE content <> '';

CREATE TABLE reviews (
  repo     TEXT NOT NULL,
  head_sha TEXT NOT NULL,
  key      TEXT NOT NULL,
  report   BLOB NOT NULL,
  plan     BLOB NOT NULL,
  recorded INTEGER NOT NULL,
  PRIMARY KEY (repo, head_sha, key)
);

CREATE TABLE approvals (
  repo       TEXT NOT NULL,
  number     INTEGER NOT NULL,
  sha        TEXT NOT NULL,
  actor      TEXT NOT NULL,
  role       TEXT NOT NULL,
  comment_id INTEGER NOT NULL,
  recorded   INTEGER NOT NULL,
  PRIMARY KEY (repo, number, sha)
);

CREATE TABLE waivers (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  repo       TEXT NOT NULL,
  number     INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  path       TEXT NOT NULL DEFAULT '',
  fingerprint TEXT NOT NULL DEFAULT '',
  gpu        TEXT NOT NULL DEFAULT '',
  ratio      REAL NOT NULL DEFAULT 0,
  until      INTEGER NOT NULL DEFAULT 0,
  reason     TEXT NOT NULL,
  actor      TEXT NOT NULL,
  comment_id INTEGER NOT NULL,
  recorded   INTEGER NOT NULL,
  ended      INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX waivers_pull ON waivers (repo, number) WHERE ended = 0;

CREATE TABLE commands (
  repo       TEXT NOT NULL,
  comment_id INTEGER NOT NULL,
  line       INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  actor      TEXT NOT NULL,
  text       TEXT NOT NULL,
  head_sha   TEXT NOT NULL,
  received   INTEGER NOT NULL,
  state      TEXT NOT NULL DEFAULT 'new',
  note       TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repo, comment_id, line)
);
CREATE INDEX commands_new ON commands (repo, number) WHERE state = 'new';

-- What GitHub still has to be told. seq is the order; lane groups the rows
-- that must keep it; object is the thing on GitHub that a row writes.
CREATE TABLE outbox (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  key          TEXT NOT NULL UNIQUE,
  lane         TEXT NOT NULL,
  installation INTEGER NOT NULL,
  repo         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  object       TEXT NOT NULL,
  priority     INTEGER NOT NULL,
  payload      BLOB NOT NULL,
  state        TEXT NOT NULL DEFAULT 'queued',
  attempts     INTEGER NOT NULL DEFAULT 0,
  not_before   INTEGER NOT NULL DEFAULT 0,
  created      INTEGER NOT NULL,
  finished     INTEGER NOT NULL DEFAULT 0,
  note         TEXT NOT NULL DEFAULT ''
);
CREATE INDEX outbox_open ON outbox (seq) WHERE state IN ('queued', 'sending');
CREATE INDEX outbox_object ON outbox (object);

-- What is known about a thing on GitHub that the App made.
CREATE TABLE objects (
  object    TEXT PRIMARY KEY,
  remote_id INTEGER NOT NULL,
  progress  INTEGER NOT NULL DEFAULT 0,
  url       TEXT NOT NULL DEFAULT ''
);

-- The digest of the newest state that was asked for an object, so that an
-- unchanged state is not written again.
CREATE TABLE wanted (
  object     TEXT PRIMARY KEY,
  digest     TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
  completed  INTEGER NOT NULL DEFAULT 0
);

-- One row for each finding that was ever commented in a pull request.
CREATE TABLE threads (
  repo        TEXT NOT NULL,
  number      INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  head_sha    TEXT NOT NULL,
  place       TEXT NOT NULL,
  comment_id  INTEGER NOT NULL DEFAULT 0,
  fixed_in    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (repo, number, fingerprint)
);

CREATE TABLE medians (
  repo      TEXT NOT NULL,
  sha       TEXT NOT NULL,
  dispatch  TEXT NOT NULL,
  kernel    TEXT NOT NULL,
  gpu       TEXT NOT NULL,
  config    TEXT NOT NULL,
  candidate_ms REAL NOT NULL,
  reference_ms REAL NOT NULL,
  recorded  INTEGER NOT NULL,
  PRIMARY KEY (dispatch, kernel, config)
);

-- Random keys that this installation of the App made for itself.
CREATE TABLE keys (
  name  TEXT PRIMARY KEY,
  value BLOB NOT NULL
);
