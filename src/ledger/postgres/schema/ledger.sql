-- The whole schema. It can be run again: an older one gets what it lacks.
--
-- What is written for every attempt is only ever appended. The intent is the claim: an attempt is
-- unique for its run, line and try, so of two workers that want the same row one gets no intent, and
-- posts nothing. Times are the server's: the clocks of the workers do not count.

CREATE TABLE IF NOT EXISTS lectern.meta (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  schema_version integer NOT NULL,
  ledger uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO lectern.meta (schema_version) VALUES (0) ON CONFLICT DO NOTHING;

-- Each grade address once, with a mark in the place of the member. An address may be too long for
-- an index.
CREATE TABLE IF NOT EXISTS lectern.targets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 text NOT NULL UNIQUE,
  url text NOT NULL,
  location text,
  context text
);

-- A run is complete when each row was sent, or is in doubt: there is nothing to join.
CREATE TABLE IF NOT EXISTS lectern.runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  target json NOT NULL,
  credential text NOT NULL,
  source text NOT NULL,
  options json NOT NULL,
  rows bigint NOT NULL DEFAULT 0,
  digest text,
  complete boolean NOT NULL DEFAULT false
);
CREATE INDEX IF NOT EXISTS runs_open ON lectern.runs (id) WHERE NOT complete;

CREATE TABLE IF NOT EXISTS lectern.run_rows (
  run bigint NOT NULL,
  line bigint NOT NULL,
  member text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run, line)
);
CREATE INDEX IF NOT EXISTS run_rows_by_member ON lectern.run_rows (member, run);

-- A pass goes over the rows of a run that were in one of the states when it was opened. Its workers
-- keep to the rate, in requests a second, and to pauses that the service asks for: "held" is one that
-- all wait out, "waits" one that is too long for that. The server is on another timeline after a
-- failover, which is "noticed" by the first command after it. "target" is the address that the rows are
-- posted to. All lines up to "leased" have been leased; "rest" is the number of rows that are not yet.
CREATE TABLE IF NOT EXISTS lectern.passes (
  run bigint NOT NULL,
  pass integer NOT NULL,
  states text[] NOT NULL,
  opened timestamptz NOT NULL DEFAULT clock_timestamp(),
  stopped timestamptz,
  rate double precision,
  held_until timestamptz,
  waits_until timestamptz,
  PRIMARY KEY (run, pass)
);
ALTER TABLE lectern.passes
  DROP COLUMN IF EXISTS next_slot,
  ADD COLUMN IF NOT EXISTS target bigint,
  ADD COLUMN IF NOT EXISTS timeline text NOT NULL
    DEFAULT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
  ADD COLUMN IF NOT EXISTS noticed timestamptz,
  ADD COLUMN IF NOT EXISTS leased bigint NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS rest bigint NOT NULL DEFAULT 0;
DROP TABLE IF EXISTS lectern.parts;

-- "learnt": requests a second that a worker has learnt to be its share. "lines": those that it has leased
-- and not sent, by its last word.
CREATE TABLE IF NOT EXISTS lectern.workers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL,
  pass integer NOT NULL,
  who text NOT NULL DEFAULT session_user,
  host text NOT NULL,
  pid integer NOT NULL,
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz,
  learnt double precision
);
ALTER TABLE lectern.workers DROP COLUMN IF EXISTS timeline, DROP COLUMN IF EXISTS sent,
  ADD COLUMN IF NOT EXISTS leases integer NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS lines bigint[] NOT NULL DEFAULT '{}';
DROP INDEX IF EXISTS lectern.workers_of_run;
CREATE INDEX IF NOT EXISTS workers_by_run ON lectern.workers (run, pass);

-- No foreign keys: each would lock a row of another table for every attempt. The token identifies an
-- attempt for the process that made it: after a failover the server may assign its number again.
CREATE TABLE IF NOT EXISTS lectern.attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  target bigint NOT NULL,
  member text NOT NULL,
  credential text NOT NULL,
  body text NOT NULL,
  run bigint,
  line bigint,
  try integer,
  pass integer,
  worker bigint,
  token uuid UNIQUE,
  CHECK ((run IS NULL) = (line IS NULL)),
  CHECK ((run IS NULL) = (try IS NULL)),
  UNIQUE (run, line, try)
);
CREATE INDEX IF NOT EXISTS attempts_by_member ON lectern.attempts (member, target);

-- A text that holds a NUL, which a text column cannot, is in bytes.
CREATE TABLE IF NOT EXISTS lectern.outcomes (
  attempt bigint PRIMARY KEY,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  state text NOT NULL CHECK (state IN ('success', 'failed', 'refused', 'in_doubt', 'not_sent')),
  http integer,
  code text,
  reason text,
  text text,
  bytes bytea
);

-- How doubts were settled. The newest one of an attempt counts, as long as there is no answer.
CREATE TABLE IF NOT EXISTS lectern.settlements (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  attempt bigint NOT NULL,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  verdict text NOT NULL CHECK (verdict IN ('success', 'not_sent')),
  source text,
  digest text,
  export_line bigint,
  because text,
  who text NOT NULL
);
CREATE INDEX IF NOT EXISTS settlements_by_attempt ON lectern.settlements (attempt);

DROP TABLE IF EXISTS lectern.imports;

-- An attempt is never changed, except to fill in a member that only the answer named.
CREATE OR REPLACE FUNCTION lectern.keep_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.member <> '' THEN
    RAISE EXCEPTION 'an attempt is never changed' USING ERRCODE = '42501';
  END IF;
  RETURN new;
END $$;
CREATE OR REPLACE TRIGGER attempts_are_kept BEFORE UPDATE ON lectern.attempts
  FOR EACH ROW EXECUTE FUNCTION lectern.keep_attempt();
