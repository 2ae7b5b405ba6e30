/**
 * The SQL of each schema version, in order; one that was released is never edited. Each runs in a
 * transaction of its own, under a lock, and only by `ledger init` and `ledger migrate`.
 *
 * What is written for every attempt is only ever appended. The intent is the claim: an attempt is
 * unique for its run, line and try, so of two workers that want the same row one gets no intent, and
 * posts nothing. Times are the server's: the clocks of the workers do not count.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE SCHEMA lectern;

  CREATE TABLE lectern.meta (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    schema_version integer NOT NULL,
    ledger uuid NOT NULL DEFAULT gen_random_uuid()
  );
  INSERT INTO lectern.meta (schema_version) VALUES (0);

  -- Each grade address once, with a mark in the place of the member. An address may be too long for
  -- an index.
  CREATE TABLE lectern.targets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256 text NOT NULL UNIQUE,
    url text NOT NULL,
    location text,
    context text
  );

  CREATE TABLE lectern.runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    time timestamptz NOT NULL DEFAULT clock_timestamp(),
    target json NOT NULL,
    credential text NOT NULL,
    source text NOT NULL,
    options json NOT NULL,
    rows bigint NOT NULL DEFAULT 0,
    digest text
  );

  CREATE TABLE lectern.run_rows (
    run bigint NOT NULL,
    line bigint NOT NULL,
    member text NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (run, line)
  );

  -- A pass goes over the rows of a run that stood in one of the states when it was opened.
  CREATE TABLE lectern.passes (
    run bigint NOT NULL,
    pass integer NOT NULL,
    states text[] NOT NULL,
    opened timestamptz NOT NULL DEFAULT clock_timestamp(),
    stopped timestamptz,
    PRIMARY KEY (run, pass)
  );

  -- The lines of a pass in parts, each leased to one worker at a time.
  CREATE TABLE lectern.parts (
    run bigint NOT NULL,
    pass integer NOT NULL,
    part integer NOT NULL,
    first_line bigint NOT NULL,
    last_line bigint NOT NULL,
    worker bigint,
    done boolean NOT NULL DEFAULT false,
    PRIMARY KEY (run, pass, part)
  );
  CREATE INDEX parts_open ON lectern.parts (run, pass, part) WHERE NOT done;

  CREATE TABLE lectern.workers (
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
  CREATE INDEX workers_of_run ON lectern.workers (run) WHERE ended IS NULL;

  -- No foreign keys: each would lock a row of another table for every attempt.
  CREATE TABLE lectern.attempts (
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
  CREATE INDEX attempts_by_member ON lectern.attempts (member, target);

  -- A text that holds a NUL, which a text column cannot, is in bytes.
  CREATE TABLE lectern.outcomes (
    attempt bigint PRIMARY KEY,
    time timestamptz NOT NULL DEFAULT clock_timestamp(),
    state text NOT NULL CHECK (state IN ('success', 'failed', 'refused', 'in_doubt', 'not_sent')),
    http integer,
    code text,
    reason text,
    text text,
    bytes bytea
  );

  -- An attempt is never changed, but for a member that only the answer told.
  CREATE FUNCTION lectern.keep_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF old.member <> '' THEN
      RAISE EXCEPTION 'an attempt is never changed' USING ERRCODE = '42501';
    END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER attempts_are_kept BEFORE UPDATE ON lectern.attempts
    FOR EACH ROW EXECUTE FUNCTION lectern.keep_attempt();
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** What a worker and a reader may do: a worker can neither change nor delete an attempt. */
export const GRANTS = `
CREATE ROLE lectern_worker NOLOGIN;
CREATE ROLE lectern_reader NOLOGIN;
GRANT USAGE ON SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT INSERT ON lectern.targets, lectern.runs, lectern.run_rows, lectern.passes, lectern.parts,
  lectern.workers, lectern.attempts, lectern.outcomes TO lectern_worker;
GRANT UPDATE (location, context) ON lectern.targets TO lectern_worker;
GRANT UPDATE (rows, digest, options) ON lectern.runs TO lectern_worker;
GRANT UPDATE (stopped) ON lectern.passes TO lectern_worker;
GRANT UPDATE (worker, done) ON lectern.parts TO lectern_worker;
GRANT UPDATE (seen, ended, sent) ON lectern.workers TO lectern_worker;
GRANT UPDATE (target, member) ON lectern.attempts TO lectern_worker;
`;
