import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODES } from '../../src/contract/index.ts';

/** What only the service can find: it takes a world to know. */
const OF_THE_SERVICE =
  /^(?:auth|grade_url|request|service)\.|^row\.(?:unprovisioned|not_found|forbidden|not_member)$|^file\.not_found$|^grade\.not_assessment$/;

const tables = ['./', '../rules/', '../grades/']
  .map((path) => new URL(path, import.meta.url))
  .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
  .filter(({ pathname }) => !pathname.endsWith('codes.test.ts'))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

test.each(Object.keys(CODES).filter((code) => !OF_THE_SERVICE.test(code)))(
  'the code %s occurs in a table of test cases',
  (code) => {
    expect(tables).toMatch(new RegExp(`[ '"\`]${code.replace('.', '\\.')}[ '"\`$]`));
  },
);
