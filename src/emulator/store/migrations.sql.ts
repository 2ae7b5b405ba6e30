import { STORE_SCHEMA } from './schema.sql.ts';

/** Version 1 had all records as JSON in one table, and the bytes of files beside it. */
export const VERSION_1 = `
  CREATE TABLE records (
    collection TEXT NOT NULL, id TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (collection, id)
  );
  CREATE TABLE rows (key TEXT PRIMARY KEY, body BLOB NOT NULL);
  CREATE TABLE attempts (
    sequence INTEGER PRIMARY KEY, location TEXT NOT NULL, member TEXT NOT NULL,
    submitted INTEGER NOT NULL, json TEXT NOT NULL, payload TEXT NOT NULL
  );
  CREATE INDEX attempts_of_member ON attempts (location, member, submitted);
`;

/** The records of a collection of version 1, in order. */
const of = (collection: string): string =>
  `FROM old_records WHERE collection = '${collection}' ORDER BY rowid`;

/** A list of fields of a record of version 1. `name?` may be ''. */
const fields = (names: string): string =>
  names
    .split(' ')
    .map((name) =>
      name.endsWith('?') ? `nullif(json ->> '${name.slice(0, -1)}', '')` : `json ->> '${name}'`,
    )
    .join(', ');

/** The keys of all rows of version 1: those that were written, are provisioned or have files. */
const OLD_KEYS = `
  SELECT key FROM old_rows
  UNION SELECT id FROM old_records WHERE collection = 'provisioned'
  UNION SELECT json ->> 'row' FROM old_records WHERE collection IN ('files', 'uploads')
  UNION SELECT 'context/' || tool || '/' || course FROM locations
  UNION SELECT 'location/' || tool || '/' || id FROM locations
`;

/** The tables of `schema.sql.ts`. */
export const FROM_1 = `
  ALTER TABLE records RENAME TO old_records;
  ALTER TABLE rows RENAME TO old_rows;
  ALTER TABLE attempts RENAME TO old_attempts;
  DROP INDEX attempts_of_member;
  ${STORE_SCHEMA}
  INSERT INTO tools SELECT ${fields('id name hosted status apiKey versions current pilot callback provisionUrl locationsUrl')} ${of('tools')};
  INSERT INTO courses SELECT ${fields('id title deployment parent? codes')} ${of('courses')};
  INSERT INTO locations SELECT ${fields('id course tool extid type title resourceLink parent?')},
    json -> 'column', ${fields('gradeUrl')} ${of('locations')};
  INSERT INTO members SELECT ${fields('id user course groups givenName familyName email lmsUser left')} ${of('members')};
  INSERT INTO tokens SELECT ${fields('token kind launchId tool course location? member? user? account issued lastCall ended')} ${of('tokens')};
  INSERT INTO provision_calls SELECT ${fields('tool course location requests asked status error launchId')} ${of('provision_calls')};
  INSERT INTO locations_answers SELECT ${fields('tool course asked status error')},
    json -> 'answer', json -> 'findings' ${of('locations_answers')};
  INSERT INTO rows
    SELECT key, kind, parts.tool, coalesce(place.course, person.course, first), place.id, person.id,
      (SELECT json ->> 'at' FROM old_records WHERE collection = 'provisioned' AND id = key),
      iif(body IS NULL, 0, 1), length(body)
    FROM (
      SELECT key, names ->> 0 AS kind, names ->> 1 AS tool, names ->> 2 AS first, names ->> 3 AS second
      FROM (SELECT key, '["' || replace(key, '/', '","') || '"]' AS names FROM (${OLD_KEYS}))
    ) AS parts LEFT JOIN old_rows USING (key)
    LEFT JOIN locations AS place ON kind IN ('location', 'member_location') AND place.id = first
    LEFT JOIN members AS person
      ON kind IN ('member', 'member_location') AND person.id = iif(kind = 'member', first, second)
    -- A row whose placement or member is gone cannot be read any more.
    WHERE (kind NOT LIKE '%location' OR place.id IS NOT NULL)
      AND (kind NOT LIKE 'member%' OR person.id IS NOT NULL);
  INSERT INTO files SELECT ${fields('row key size contentType filename attachment blob modified')},
    coalesce(json ->> 'hasNoBytes', 0) ${of('files')};
  INSERT INTO uploads SELECT ${fields('id row key size contentType filename attachment')},
    json -> 'fields', json ->> 'expires' ${of('uploads')};
  INSERT INTO attempts (sequence, location, member, submitted, record, payload)
    SELECT sequence, location, member, submitted, json, nullif(payload, '') FROM old_attempts;
  INSERT INTO lms SELECT id, json -> 'refuse', ${fields('scope column slowMs')} ${of('lms')};
  INSERT INTO codes SELECT ${fields('tool version blob sha256 zipSize size files uploaded')} ${of('codes')};
  INSERT INTO tickets SELECT ${fields('ticket launchId tool version')} ${of('tickets')};
  INSERT INTO clock SELECT 'clock', ${fields('offset')}, coalesce(json ->> 'moved', 0) ${of('clock')};
  INSERT INTO settings SELECT 'seed', json ${of('seed')};
  INSERT INTO settings SELECT 'vary', json ${of('vary')};
  INSERT INTO settings SELECT id, json -> 'secret' ${of('keys')};
  INSERT INTO ports SELECT name, port, '[]' FROM (
    SELECT 'api' AS name, json ->> 'api' AS port ${of('ports')}
  ) UNION ALL SELECT name, port, '[]' FROM (
    SELECT 'blobs' AS name, json ->> 'blobs' AS port ${of('ports')}
  );
  INSERT INTO ports SELECT 'tool/' || (json ->> 'tool'), json ->> 'port', json -> 'hosts' ${of('tool_ports')};
  INSERT INTO row_versions
    SELECT key, 1, unixepoch() * 1000, 'start', NULL, body FROM rows JOIN old_rows USING (key);
  DROP TABLE old_records;
  DROP TABLE old_rows;
  DROP TABLE old_attempts;
`;
