-- What is written for every attempt is only ever appended. The intent is the claim: an attempt is
-- unique for its run, line and try, so of two workers that want the same row one gets no intent, and
-- posts nothing. Times are the server's: the clocks of the workers do not count.

CREATE SCHEMA IF NOT EXISTS lectern;

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

CREATE TABLE IF NOT EXISTS lectern.runs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  target json NOT NULL,
  credential text NOT NULL,
  source text NOT NULL,
  options json NOT NULL,
  rows bigint NOT NULL DEFAULT 0,
  digest text
);

CREATE TABLE IF NOT EXISTS lectern.run_rows (
  run bigint NOT NULL,
  line bigint NOT NULL,
  member text NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (run, line)
);

-- A pass goes over the rows of a run that stood in one of the states when it was opened.
CREATE TABLE IF NOT EXISTS lectern.passes (
  run bigint NOT NULL,
  pass integer NOT NULL,
  states text[] NOT NULL,
  opened timestamptz NOT NULL DEFAULT clock_timestamp(),
  stopped timestamptz,
  PRIMARY KEY (run, pass)
);

-- The lines of a pass in parts, each leased to one worker at a time.
CREATE TABLE IF NOT EXISTS lectern.parts (
  run bigint NOT NULL,
  pass integer NOT NULL,
  part integer NOT NULL,
  first_line bigint NOT NULL,
  last_line bigint NOT NULL,
  worker bigint,
  done boolean NOT NULL DEFAULT false,
  PRIMARY KEY (run, pass, part)
);
CREATE INDEX IF NOT EXISTS parts_open ON lectern.parts (run, pass, part) WHERE NOT done;

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
  sent bigint NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS workers_of_run ON lectern.workers (run) WHERE ended IS NULL;

-- No foreign keys: each would lock a row of another table for every attempt.
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
