-- How doubts were settled: only appended, too. The newest one of an attempt counts, as long as there
-- is no answer.
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
