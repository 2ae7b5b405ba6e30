/**
 * The tables of an emulator. IDs are those of the contract, times are ms since the epoch by the
 * emulator's clock, and `json` columns have a shape of `state/records.ts`. NULL means that there is
 * none. Where "the first" counts, the order is that of insertion.
 */
export const STORE_SCHEMA = `
-- What is set up: a course has members, and locations (placements) of tools.

CREATE TABLE tools (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, hosted INTEGER NOT NULL,
  status TEXT NOT NULL,             -- active, suspended or archived
  api_key TEXT NOT NULL,            -- '' for a hosted tool
  versions TEXT NOT NULL,           -- json: number, visibility, state, deprecated
  current INTEGER NOT NULL, pilot INTEGER NOT NULL,
  callback TEXT, provision_url TEXT, locations_url TEXT
);
CREATE INDEX tools_of_key ON tools (api_key);

CREATE TABLE courses (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, deployment TEXT NOT NULL,
  parent TEXT REFERENCES courses,   -- the course that it was copied from
  codes TEXT NOT NULL               -- json: the sharing code by which it took a tool, by tool
);

CREATE TABLE locations (
  id TEXT PRIMARY KEY,
  course TEXT NOT NULL REFERENCES courses, tool TEXT NOT NULL REFERENCES tools,
  extid TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, resource_link TEXT NOT NULL,
  parent TEXT REFERENCES locations,
  "column" TEXT NOT NULL,           -- json: lineitem and points; null if it was never deep-linked
  grade_url INTEGER NOT NULL
);
CREATE INDEX locations_of_course ON locations (course, tool);

CREATE TABLE members (
  id TEXT PRIMARY KEY, user TEXT NOT NULL, course TEXT NOT NULL REFERENCES courses,
  groups TEXT NOT NULL,             -- json
  given_name TEXT NOT NULL, family_name TEXT NOT NULL, email TEXT NOT NULL,
  lms_user TEXT NOT NULL,           -- never handed to a tool
  "left" INTEGER NOT NULL
);
CREATE INDEX members_of_course ON members (course, user);

-- Launches and provision requests, with their tokens.

CREATE TABLE tokens (
  token TEXT PRIMARY KEY,
  kind TEXT NOT NULL,               -- launch or provision
  launch_id TEXT NOT NULL UNIQUE,
  tool TEXT NOT NULL REFERENCES tools, course TEXT NOT NULL REFERENCES courses,
  location TEXT REFERENCES locations, member TEXT REFERENCES members, user TEXT,
  account INTEGER NOT NULL,         -- whether grade.submit has the account shape
  issued REAL NOT NULL, last_call REAL NOT NULL,
  ended TEXT NOT NULL               -- why; '' for one that has not
);
CREATE INDEX tokens_of_location ON tokens (location);
CREATE INDEX tokens_of_course ON tokens (course, tool);
CREATE INDEX tokens_of_member ON tokens (member);

CREATE TABLE provision_calls (
  tool TEXT NOT NULL REFERENCES tools, course TEXT NOT NULL REFERENCES courses,
  location TEXT NOT NULL REFERENCES locations,
  requests INTEGER NOT NULL, asked REAL NOT NULL,
  status INTEGER, error TEXT, launch_id TEXT NOT NULL,
  PRIMARY KEY (tool, location)
);

CREATE TABLE locations_answers (
  tool TEXT NOT NULL REFERENCES tools, course TEXT NOT NULL REFERENCES courses,
  asked REAL NOT NULL, status INTEGER, error TEXT,
  answer TEXT NOT NULL, findings TEXT NOT NULL,  -- json
  PRIMARY KEY (tool, course)
);

-- Storage rows. The shared ones of a placement exist from the beginning, those of members from the
-- first write on.

CREATE TABLE rows (
  key TEXT PRIMARY KEY,             -- kind/tool/… of the IDs of its kind
  kind TEXT NOT NULL, tool TEXT NOT NULL REFERENCES tools, course TEXT NOT NULL REFERENCES courses,
  location TEXT REFERENCES locations, member TEXT REFERENCES members,
  provisioned REAL,                 -- when, for a shared row; NULL before
  version INTEGER NOT NULL DEFAULT 0, size INTEGER  -- of what was last written; 0 and NULL before
);

CREATE TABLE row_versions (         -- the JSON of a row: what was last written, and some before it
  row TEXT NOT NULL REFERENCES rows, number INTEGER NOT NULL, at REAL NOT NULL,
  written_by TEXT NOT NULL,         -- start, PUT, PATCH, console, chaos or fixture
  launch_id TEXT, body BLOB NOT NULL, PRIMARY KEY (row, number)
);

-- Files of rows: declared, then uploaded. The bytes are in pieces.

CREATE TABLE files (
  row TEXT NOT NULL REFERENCES rows, key TEXT NOT NULL, size INTEGER NOT NULL,
  content_type TEXT NOT NULL, filename TEXT NOT NULL, attachment INTEGER NOT NULL,
  blob TEXT NOT NULL UNIQUE, modified REAL NOT NULL,
  has_no_bytes INTEGER NOT NULL,    -- of a seed: they read as zeros
  PRIMARY KEY (row, key)
);

CREATE TABLE uploads (
  id TEXT PRIMARY KEY, row TEXT NOT NULL REFERENCES rows, key TEXT NOT NULL, size INTEGER NOT NULL,
  content_type TEXT NOT NULL, filename TEXT NOT NULL, attachment INTEGER NOT NULL,
  fields TEXT NOT NULL,             -- json: the signed form
  expires REAL NOT NULL
);

CREATE TABLE blobs (
  id TEXT NOT NULL, piece INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (id, piece)
);

-- Grades: each attempt, and what the LMS got of it. The gradebook has the latest that it accepted.

CREATE TABLE attempts (
  sequence INTEGER PRIMARY KEY,
  location TEXT NOT NULL REFERENCES locations, member TEXT NOT NULL REFERENCES members,
  submitted INTEGER NOT NULL,
  record TEXT NOT NULL,             -- json: the attempt as the tool was answered
  payload TEXT,                     -- json: the score that the LMS accepted; NULL if it failed
  status TEXT AS (record ->> 'status'), score REAL AS (record ->> 'score')
);
CREATE INDEX attempts_of_member ON attempts (location, member, submitted);

CREATE TABLE lms (
  location TEXT PRIMARY KEY,        -- '*' for all locations without their own behaviour
  refuse TEXT,                      -- json
  scope TEXT, "column" TEXT, slow_ms REAL
);

-- The code of hosted tools, and the frames that show it.

CREATE TABLE codes (
  tool TEXT NOT NULL REFERENCES tools, version INTEGER NOT NULL, blob TEXT NOT NULL UNIQUE,
  sha256 TEXT NOT NULL, zip_size INTEGER NOT NULL, size INTEGER NOT NULL, files INTEGER NOT NULL,
  uploaded REAL NOT NULL, PRIMARY KEY (tool, version)
);

CREATE TABLE tickets (
  ticket TEXT PRIMARY KEY, launch_id TEXT NOT NULL REFERENCES tokens (launch_id),
  tool TEXT NOT NULL REFERENCES tools, version INTEGER NOT NULL
);

-- The emulator itself.

CREATE TABLE clock (
  id TEXT PRIMARY KEY, "offset" REAL NOT NULL, moved REAL NOT NULL
);
CREATE TABLE settings (             -- survive a reset
  name TEXT PRIMARY KEY, value TEXT NOT NULL
);
CREATE TABLE ports (                -- stay on this machine: no part of an export
  name TEXT PRIMARY KEY,            -- api, blobs, or tool/ID
  port INTEGER NOT NULL, hosts TEXT NOT NULL
);
`;
