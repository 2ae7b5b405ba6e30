-- The timeline of the server that a worker knows; empty once a failover was noticed that it has not
-- said anything of. What it committed last may be missing then.
ALTER TABLE lectern.workers ADD COLUMN IF NOT EXISTS timeline text;
