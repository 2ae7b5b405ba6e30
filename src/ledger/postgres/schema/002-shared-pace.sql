-- Whether each row of a run was sent, or is in doubt: then nothing of it is to be joined.
ALTER TABLE lectern.runs ADD COLUMN IF NOT EXISTS complete boolean NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS runs_open ON lectern.runs (id) WHERE NOT complete;
CREATE INDEX IF NOT EXISTS run_rows_by_member ON lectern.run_rows (member, run);

-- What all workers of a pass keep to: the requests a second, the time of the next one, and until
-- when the service wants none; "waits" is one that is too long to be waited for.
ALTER TABLE lectern.passes
  ADD COLUMN IF NOT EXISTS rate double precision,
  ADD COLUMN IF NOT EXISTS next_slot timestamptz,
  ADD COLUMN IF NOT EXISTS held_until timestamptz,
  ADD COLUMN IF NOT EXISTS waits_until timestamptz;
-- Requests a second that a worker has learnt to be its share.
ALTER TABLE lectern.workers ADD COLUMN IF NOT EXISTS learnt double precision;
-- The timeline of the server when the part was leased: another one after a failover.
ALTER TABLE lectern.parts ADD COLUMN IF NOT EXISTS timeline text;

-- The local ledgers that were taken over.
CREATE TABLE IF NOT EXISTS lectern.imports (
  fingerprint text PRIMARY KEY,
  time timestamptz NOT NULL DEFAULT clock_timestamp(),
  who text NOT NULL DEFAULT session_user,
  host text NOT NULL,
  runs bigint NOT NULL,
  attempts bigint NOT NULL
);
