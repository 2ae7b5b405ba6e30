import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { ledgerOf } from './ledger-of.ts';
import { shell } from './shell.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Process');

hostile(
  { tried: 'closed standard input, output and error', times: { short: 1, long: 50 } },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    writeFileSync(join(home, 'row.json'), '{"n":1}');
    const { stdout } = await shell(
      `cd "$HOME"
       closed() { lectern "$@" <&- >&- 2>&-; echo $? >> codes; }
       closed storage get member
       closed storage put member row.json --yes
       closed storage put member --yes
       closed storage put member row.json
       closed files upload member row.json
       closed files download member old.bin --to .
       closed grade submit --score 0.5
       closed grade submit --from nothing.csv --yes
       closed launch save x
       closed launch check
       tr '\\n' ' ' < codes`,
      { home, env: { LECTERN_LAUNCH: course.launch } },
    );
    expect(stdout.trim()).toBe('0 0 3 2 0 0 0 2 3 0');
    expect([course.row(), course.files(), course.grades()]).toEqual([
      '{"n":1}',
      ['old.bin', 'row.json'],
      ['m-1'],
    ]);
    const { images, attempts } = await ledgerOf(home);
    expect(images.map(({ outcome }) => outcome)).toEqual(['written']);
    expect(attempts.map(({ state }) => state)).toEqual(['success']);
  },
);
