import { expect, test } from 'vitest';
import { attemptRecord, json, launchFile, startService } from '../../support/service.ts';
import { linesIn, step } from '../../support/steps.ts';

const GRADE = 'grade submit --score 0.5';
const SYNC = 'files sync . member --yes';

/** Command lines, and the flag and the value that are named. */
test.each(
  linesIn(`
  ${GRADE} --comment --dry-run # --comment --dry-run
  ${GRADE} --comment --json -y # --comment --json
  ${GRADE} --comment -y # --comment -y
  ${GRADE} --comment -lstaff # --comment -lstaff
  ${GRADE} --comment --points=5 # --comment --points=5
  ${GRADE} --comment --help # --comment --help
  ${GRADE} --comment -- # --comment --
  grade submit --score --json # --score --json
  ${SYNC} --exclude --dry-run # --exclude --dry-run
  ${SYNC} -yl --dry-run # --launch --dry-run
  -l --dry-run ${GRADE} # --launch --dry-run
  -k -l staff ${GRADE} # --api-key -l
  emulator exec --seed -- true # --seed --`),
)('a flag is not taken as a value: %s', async (line) => {
  const service = await startService(json(200, attemptRecord()));
  const env = { LECTERN_LAUNCH: launchFile(service.origin) };
  const [command = '', named = ''] = line.split(' # ');
  const [flag, value] = named.split(' ');
  const words = `${flag} has no value: ${value} after it is a flag`;
  await step(command, { env, exit: 2, stdout: '', stderr: [words, `write ${flag}=${value}`] });
  expect(service.requests).toEqual([]);
});

test.each([
  { flag: '--comment=--dry-run', comment: '--dry-run' },
  { flag: "--comment '--dry-run was left out'", comment: '--dry-run was left out' },
  { flag: "--comment '-5 for lateness'", comment: '-5 for lateness' },
  { flag: '--comment --later', comment: '--later' },
])('a text that is no flag is a value: $flag', async ({ flag, comment }) => {
  const service = await startService(json(200, attemptRecord({ score: 0.5 })));
  await step(`${GRADE} ${flag}`, { env: { LECTERN_LAUNCH: launchFile(service.origin) } });
  const [sent] = service.requests.map(({ body }) => JSON.parse(String(body)));
  expect(sent).toMatchObject({ comment });
});
