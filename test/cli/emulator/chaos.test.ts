import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { State } from '../../emulator/documents.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { start } from './running.ts';

const STUDENTS = 30;
const TRIES = 20;

/** What a regrade comes to under trouble: its rows by outcome, as the last pass tells. */
interface Summary {
  readonly success: number;
  readonly failed: number;
  readonly in_doubt: number;
}

test.each(['1', '2'])(
  'a regrade under --chaos %s loses nothing, and sends nothing twice',
  async (seed) => {
    const home = temporaryFolder();
    const members = Array.from({ length: STUDENTS }, (_, index) => `bio-student-${index + 1}`);
    const world = {
      tools: [{ id: 'essay' }],
      courses: [{ id: 'bio', students: STUDENTS, locations: [{ id: 'essay-1', tool: 'essay' }] }],
    };
    writeFileSync(`${home}/seed.json`, JSON.stringify(world));
    const records = members.map((member, index) => `${member},${(index + 1) / STUDENTS}\n`);
    writeFileSync(`${home}/grades.csv`, `member,score\n${records.join('')}`);
    const chaos = ['--chaos', seed, '--chaos-share', '0.15'];
    await start(['--memory', '--seed', `${home}/seed.json`, ...chaos], { home });
    const run = (line: string) => lectern([...line.split(' '), '--json'], { home, cwd: home });
    await run('emulator launch --save me');
    await run('emulator key --save key');
    let result = await run('grade submit --from grades.csv --yes -l me -k key');
    // A 401 stops the run, and a refused grade is sent again when somebody asks for it.
    for (let tries = 0; tries < TRIES && ![0, 10].includes(result.exit); tries++) {
      result = await run('grade resume 1 --retry-failed --yes -l me -k key');
    }
    const last = result.stdout.trim().split('\n').at(-1) ?? '';
    const { summary } = JSON.parse(last) as { summary: Summary };
    const { attempts } = JSON.parse((await run('emulator state')).stdout) as State;
    const graded = attempts.flatMap(({ status, annotations }) =>
      status === 'success' ? annotations.member : [],
    );
    expect(new Set(graded).size).toBe(graded.length);
    expect(graded.length).toBeGreaterThanOrEqual(summary.success);
    // Each row has ended as something that lectern tells.
    expect(summary.success + summary.failed + summary.in_doubt).toBe(STUDENTS);
    const report = JSON.parse((await run('emulator report')).stdout) as {
      findings: object[];
      chaos: { troubles: object[]; doubled: object[] };
    };
    expect(report.chaos.troubles.length).toBeGreaterThan(0);
    expect([report.findings, report.chaos.doubled]).toEqual([[], []]);
  },
);
