import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODES } from '../../src/contract/index.ts';

/** What only the service can find: it takes a world to know. */
const OF_THE_SERVICE =
  /^(?:auth|grade_url)\.|^row\.(?:unprovisioned|not_found|forbidden|not_member)$|^file\.not_found$|^grade\.not_assessment$/;

/** Those of a file of grades are found where the file is read. */
const folders = ['./', '../cli/validate/'].map((path) => new URL(path, import.meta.url));
const tables = folders
  .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
  .filter(({ href }) => href.endsWith('.test.ts') && href !== import.meta.url)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

test.each(Object.keys(CODES).filter((code) => !OF_THE_SERVICE.test(code)))(
  '%s stands in a table of cases',
  (code) => {
    expect(tables).toMatch(new RegExp(`['"]${code.replace('.', '\\.')}[ '"]`));
  },
);
