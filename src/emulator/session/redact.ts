import type { Redact } from '../../redaction.ts';
import type { Database } from '../../sqlite/database.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Seed } from '../state/seed/seed.ts';

/**
 * Nothing that is left gives access: no bearer token has a space in it, and what signs is made again
 * when it is needed. People get other names; their IDs stay, as the addresses have them.
 */
const REDACTIONS = `
  PRAGMA secure_delete = ON;
  BEGIN;
  UPDATE tokens SET token = kind || ' ' || rowid;
  UPDATE tools SET api_key = 'key ' || rowid WHERE api_key <> '';
  UPDATE tools SET callback = without_query(callback) WHERE callback IS NOT NULL;
  UPDATE tools SET provision_url = without_query(provision_url) WHERE provision_url IS NOT NULL;
  UPDATE tools SET locations_url = without_query(locations_url) WHERE locations_url IS NOT NULL;
  UPDATE members SET given_name = 'Person', family_name = rowid, lms_user = 'lms-' || rowid,
    email = 'person-' || rowid || '@campus.example';
  DELETE FROM settings WHERE name IN ('signing', 'launches');
  UPDATE settings SET value = redacted_seed(value) WHERE name = 'seed';
  DELETE FROM tickets;
  UPDATE uploads SET fields = '{}', filename = redacted(filename);
  UPDATE row_versions SET body = CAST(redacted(CAST(body AS TEXT)) AS BLOB);
  UPDATE rows SET size = length(body) FROM row_versions WHERE row = key AND number = version;
  UPDATE attempts SET record = redacted(record);
  UPDATE attempts SET payload = json_set(
    redacted(payload), '$.userId', (SELECT lms_user FROM members WHERE id = member)
  ) WHERE payload IS NOT NULL;
  UPDATE locations_answers SET answer = redacted(answer), findings = redacted(findings);
  UPDATE provision_calls SET error = redacted(error) WHERE error IS NOT NULL;
  -- Of files and code, everything but their bytes.
  UPDATE files SET has_no_bytes = 1, filename = redacted(filename);
  DELETE FROM codes;
  DELETE FROM blobs;
  COMMIT;
  VACUUM;
`;

/** Gives tools whose key was redacted another one. */
export function renewKeys({ world, newToken }: EmulatorState): void {
  for (const tool of world.tools.all("api_key LIKE 'key %'")) {
    world.tools.put({ ...tool, api_key: newToken('key_') });
  }
}

/** Takes everything out of the tables of a session that is secret or that names a person. */
export function redactSession(database: Database, redact: Redact): void {
  database.define('redacted', (text = '') => redact(text));
  database.define('without_query', (address = '') => address.replace(/[?#].*$/s, ''));
  database.define('redacted_seed', (text = '') => JSON.stringify(redactedSeed(text, redact)));
  database.execute(REDACTIONS);
}

/** What a seed has that is secret, names a person, or is a path; names get their defaults. */
const PRIVATE = new Set(['api_key', 'given_name', 'family_name', 'email', 'lms_user', 'path']);

function redactedSeed(text: string, redact: Redact): unknown {
  // The data of a row is what a tool stored, whatever its names are.
  const { rows = [], ...world } = JSON.parse(redact(text)) as Seed;
  const bare = (name: string, value: unknown): unknown => (PRIVATE.has(name) ? undefined : value);
  const without = (value: unknown): unknown => JSON.parse(JSON.stringify(value, bare));
  const bareRows = rows.map(({ row, data, files = [] }) => ({ row, data, files: without(files) }));
  return Object.assign(without(world) as Seed, { rows: bareRows });
}
