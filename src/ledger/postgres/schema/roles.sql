-- Create a login for each person or machine, for example:
-- CREATE ROLE ci LOGIN PASSWORD '...' IN ROLE lectern_worker;
-- CREATE ROLE auditor LOGIN PASSWORD '...' IN ROLE lectern_reader;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['lectern_owner', 'lectern_worker', 'lectern_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    END IF;
  END LOOP;
  -- Only a member of the new owner may change the owner of an object.
  IF NOT pg_has_role(current_user, 'lectern_owner', 'USAGE') THEN
    EXECUTE format('GRANT lectern_owner TO %I', current_user);
  END IF;
  ALTER SCHEMA lectern OWNER TO lectern_owner;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'lectern' LOOP
    EXECUTE format('ALTER TABLE lectern.%I OWNER TO lectern_owner', name);
  END LOOP;
  ALTER FUNCTION lectern.keep_attempt() OWNER TO lectern_owner;
END $$;
GRANT CONNECT ON DATABASE :"database" TO lectern_owner, lectern_worker, lectern_reader;
-- rights
GRANT USAGE ON SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT INSERT ON lectern.targets, lectern.runs, lectern.run_rows, lectern.passes, lectern.workers,
  lectern.attempts, lectern.outcomes, lectern.settlements TO lectern_worker;
GRANT UPDATE (location, context) ON lectern.targets TO lectern_worker;
GRANT UPDATE (rows, digest, options, complete) ON lectern.runs TO lectern_worker;
GRANT UPDATE (stopped, held_until, waits_until, noticed, leased, rest) ON lectern.passes TO lectern_worker;
GRANT UPDATE (seen, ended, learnt, leases, lines) ON lectern.workers TO lectern_worker;
GRANT UPDATE (target, member) ON lectern.attempts TO lectern_worker;
