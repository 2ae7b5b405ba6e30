import { expect } from 'vitest';
import { startCourse } from './course-service.ts';
import { judged } from './judged.ts';
import { shell } from './shell.ts';
import { hostileCases, sampled } from './support.ts';

const hostile = hostileCases('Input');

/** With a heap that holds nothing large, so that what is not flat ends the process. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' };
const withoutShell = (): string | undefined =>
  process.platform === 'win32' ? 'there is no bash' : undefined;

/** Commands that read standard input, and what they say when there is too much of it. */
const READING = [
  'storage put member --yes',
  'storage patch member',
  'storage diff member -',
  'files upload member - --key k',
  'launch save a -',
  'launch decode -',
  'key save k --origin http://127.0.0.1:9',
  'emulator start --memory --seed -',
  'validate row -',
  'validate patch -',
  'validate grade -',
  'validate launch -',
  'validate locations -',
  'validate file - --key k',
  'validate key -',
  'validate hosted-tool -',
];

hostile(
  {
    tried: 'an endless standard input of zeros or of lines, for every command that reads it',
    size: { short: 1, long: 2 },
    cannotRun: withoutShell,
  },
  async ({ size }) => {
    const course = await startCourse();
    for (const source of ['yes "{}"', 'cat /dev/zero'].slice(0, size)) {
      for (const command of sampled(READING, 4)) {
        const { exit, stdout, stderr } = await shell(`${source} | lectern ${command}`, {
          env: { LECTERN_LAUNCH: course.launch, ...SMALL_HEAP },
        });
        const what = `${source} | ${command}`;
        judged({ exit, stdout, stderr }, what, [3]);
        expect(stderr, what).toMatch(/has more than \d+ bytes|exceeds .* limit of/);
      }
    }
    expect(course.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
);
