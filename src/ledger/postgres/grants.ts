/** What a worker and a reader may do: a worker can neither change nor delete an attempt. */
export const GRANTS = `GRANT USAGE ON SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA lectern TO lectern_worker, lectern_reader;
GRANT INSERT ON lectern.targets, lectern.runs, lectern.run_rows, lectern.passes, lectern.parts,
  lectern.workers, lectern.attempts, lectern.outcomes, lectern.imports TO lectern_worker;
GRANT UPDATE (location, context) ON lectern.targets TO lectern_worker;
GRANT UPDATE (rows, digest, options, complete) ON lectern.runs TO lectern_worker;
GRANT UPDATE (stopped, next_slot, held_until, waits_until) ON lectern.passes TO lectern_worker;
GRANT UPDATE (worker, done, timeline) ON lectern.parts TO lectern_worker;
GRANT UPDATE (seen, ended, sent, learnt, timeline) ON lectern.workers TO lectern_worker;
GRANT UPDATE (target, member) ON lectern.attempts TO lectern_worker;
`;

const role = (
  name: string,
): string => `  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') THEN
    CREATE ROLE ${name} NOLOGIN;
  END IF;`;

/**
 * Makes the roles where there are none, gives the schema to its owner role, and grants the rights.
 * Can be run again. `database` is the name of the ledger's database.
 */
export function rolesSql(database: string): string {
  return `DO $$
DECLARE
  name text;
BEGIN
${['lectern_owner', 'lectern_worker', 'lectern_reader'].map(role).join('\n')}
  -- What one gives away one must be a member of the new owner for.
  IF NOT pg_has_role(current_user, 'lectern_owner', 'USAGE') THEN
    EXECUTE format('GRANT lectern_owner TO %I', current_user);
  END IF;
  ALTER SCHEMA lectern OWNER TO lectern_owner;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'lectern' LOOP
    EXECUTE format('ALTER TABLE lectern.%I OWNER TO lectern_owner', name);
  END LOOP;
  ALTER FUNCTION lectern.keep_attempt() OWNER TO lectern_owner;
END $$;
GRANT CONNECT ON DATABASE ${quoted(database)} TO lectern_owner, lectern_worker, lectern_reader;
${GRANTS}
-- For each person or machine a login of its own, for example:
-- CREATE ROLE ci LOGIN PASSWORD '...' IN ROLE lectern_worker;
-- CREATE ROLE auditor LOGIN PASSWORD '...' IN ROLE lectern_reader;
`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether the roles have rights here, so that a migration has to give them those of what it makes. */
export const HAS_ROLES = `
  SELECT count(*) = 2 AS granted FROM pg_roles
  WHERE rolname IN ('lectern_worker', 'lectern_reader')
    AND has_schema_privilege(rolname, 'lectern', 'USAGE')`;
