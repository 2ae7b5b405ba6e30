import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { shell } from './shell.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Process');

hostile(
  {
    tried: 'an empty or relative HOME, a relative XDG_CONFIG_HOME',
  },
  async () => {
    const course = await startCourse();
    for (const env of [
      { HOME: '' },
      { HOME: 'home' },
      { XDG_CONFIG_HOME: 'home' },
      { XDG_DATA_HOME: '.' },
    ]) {
      const cwd = temporaryFolder();
      const { exit, stderr } = await binary(['launch', 'save', 'a', course.launch], {
        cwd,
        env: { LECTERN_HOME: '', ...env },
      });
      expect([env, exit, stderr]).toEqual([env, 1, expect.stringContaining('set LECTERN_HOME')]);
      expect(readdirSync(cwd)).toEqual([]);
    }
  },
);

hostile({ tried: 'no HOME, and an empty environment' }, async () => {
  const home = temporaryFolder();
  const script = 'exec env -i LECTERN_HOME="$LECTERN_HOME" "$NODE" "$BINARY" launch list';
  expect(await shell(script, { home })).toMatchObject({ exit: 0, stdout: '' });
  expect((await shell('unset HOME LANG TERM; lectern doctor', { home })).exit).toBe(0);
});

hostile({ tried: 'a current folder that has been removed' }, async () => {
  const course = await startCourse();
  const home = temporaryFolder();
  const results = await shell(
    `mkdir "$HOME/gone"; cd "$HOME/gone"; rmdir "$HOME/gone"
       echo '{"n":1}' > "$HOME/row.json"
       lectern storage get member --json | tr -d ' \\n'; echo " $?"
       lectern storage put member "$HOME/row.json" --yes -q; echo $?
       lectern files upload member "$HOME/row.json" -q; echo $?
       lectern files download member row.json --to "$HOME/to" -q; echo $?
       lectern grade submit --score 1 -q > /dev/null; echo $?
       lectern files sync . member; echo $?
       lectern files download member row.json --to .; echo $?`,
    { home, env: { LECTERN_LAUNCH: course.launch } },
  );
  expect(results.stdout.split('\n')).toEqual([
    '{"a":1,"b":2} 0',
    '0',
    'row.json\t8\tuploaded',
    '0',
    'row.json\t8\tdownloaded',
    '0',
    '0',
    '1',
    '1',
    '',
  ]);
  expect(results.stderr).toContain('the current folder has been removed');
  expect(course.row()).toBe('{"n":1}\n');
  expect(readFileSync(join(home, 'to/row.json'), 'utf8')).toBe('{"n":1}\n');
});

hostile(
  {
    tried: 'names that are not UTF-8',
  },
  async () => {
    const course = await startCourse();
    const cwd = temporaryFolder();
    const { stdout, stderr } = await shell(
      `mkdir folder; echo hi > folder/good.txt; echo hi > $'folder/bad\\377.txt'
       lectern files upload member --key k -- $'folder/bad\\377.txt'; echo $?
       lectern files sync folder member -q; echo $?
       lectern files download member old.bin --output $'bad\\377'; echo $?
       lectern files sync member $'bad\\377'; echo $?
       lectern storage put member $'folder/bad\\377.txt' --yes; echo $?`,
      { cwd, env: { LECTERN_LAUNCH: course.launch } },
    );
    expect(stdout.split('\n')).toEqual(['2', 'good.txt\t3\tuploaded', '9', '3', '3', '2', '']);
    for (const reason of ['its name is not UTF-8', ': a name that is not UTF-8'])
      expect(stderr).toContain(reason);
    expect(readdirSync(cwd)).toEqual(['folder']);
  },
);
