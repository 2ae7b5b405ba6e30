import { expect, test } from 'vitest';
import {
  answerJson,
  attemptRecord,
  launchFile,
  type SeenRequest,
  startService,
} from '../../support/service.ts';
import { linesIn, stepsAt } from '../../support/steps.ts';

/** Characters that steer a terminal or reorder what is read, and that JSON may hold as they are. */
const HOSTILE = 'a\u007fb\u009b31mc\u202ed\u2066e\u2028f\ufeffg\u200bh';
/** Those and the control characters, but for the line breaks of a terminal and the tab. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const RECORD = attemptRecord({
  id: HOSTILE,
  lineitem: HOSTILE,
  data: { comment: HOSTILE, response: { status: 200, body: HOSTILE }, error: '' },
  annotations: { member: HOSTILE, location: 'l-1', app: 'a', context: 'c' },
});
const FILES = [{ key: 'k', size: 1, modified: 1, note: HOSTILE }];

/** Answers every call with a text that means harm. */
function answer({ method, target }: SeenRequest): [status: number, body: unknown] {
  if (target.includes('refused')) return [422, { error: HOSTILE, message: HOSTILE }];
  if (method === 'POST') return [200, RECORD];
  if (target.includes('f%69les')) return [200, FILES];
  return [200, { [HOSTILE]: HOSTILE }];
}

/** Commands at such a service; ODD is such a text. */
async function oddService() {
  const { origin } = await startService((request, response) => {
    const [status, body] = answer(request);
    answerJson(response, status, body);
  });
  const launch = launchFile(origin, { note: HOSTILE });
  const files = { 'grades.csv': `member,score,comment\nm-1,0.5,${HOSTILE}\n` };
  const at = stepsAt({ files, env: { LECTERN_LAUNCH: launch } });
  const filled = (line: string): string =>
    line.replaceAll('ODD', HOSTILE).replace('LAUNCH', launch).replace('ORIGIN', origin);
  /** What is shown without line breaks and tabs. */
  const shown = async (line: string, exit = 0): Promise<string> => {
    const { bytes } = await at.atTerminal(filled(line), { exit, columns: 400 });
    return bytes.replaceAll(/\r\n|\t/g, '');
  };
  return { ...at, shown };
}

test.each(
  linesIn(`
  storage get member
  storage get member '/ODD'
  storage diff member context
  storage patch member --add '/x=ODD' --dry-run
  storage get --url ORIGIN/refused # exit 7
  storage get member '/ODDODD' # exit 6
  storage get 'ODD' # exit 2
  grade submit --score 'ODD' # exit 3
  validate row 'ODD' # exit 2
  validate launch LAUNCH
  launch decode LAUNCH
  files ls member
  grade submit --score 0.5 --comment 'ODD'
  grade submit --from grades.csv --dry-run
  grade submit --from grades.csv --yes --quiet`),
)('%s --json is printed without terminal control characters', async (line) => {
  const { shown } = await oddService();
  const [command = '', exit = '0'] = line.split(' # exit ');
  const bytes = await shown(`${command} --json`, Number(exit));
  expect(bytes.match(STEERING), bytes).toBeNull();
});

test('the printed JSON has the same value, and what the ledger has only plain white space', async () => {
  const { step, shown } = await oddService();
  const { stdout } = await step('storage get member --json');
  expect(stdout).toContain(HOSTILE);
  expect(JSON.parse(await shown('storage get member --json'))).toEqual(JSON.parse(stdout));
  await step('grade submit --from grades.csv --yes');
  for (const line of ['grade log', 'grade report 1', 'grade resume 1 --dry-run']) {
    const bytes = await shown(`${line} --json`);
    expect([bytes.includes('{'), bytes.match(STEERING)]).toEqual([true, null]);
  }
});
