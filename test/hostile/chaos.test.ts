import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunResult } from '../support/lectern.ts';
import { startCourse } from './chaos-course.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Chaos');

/** In CI a seed for each case, in a night fifty. */
const SEEDS = { short: 1, long: 50 };
const LIMIT_MS = 300_000;

/** The result of a regrade, as its last pass reports it. */
interface Summary {
  readonly success: number;
  readonly failed: number;
  readonly refused: number;
  readonly in_doubt: number;
}

interface ReportedRecord {
  readonly member: string;
  readonly outcome: string;
  readonly status: string | null;
}

hostile(
  {
    tried: 'a regrade by the API key: no grade is lost or sent twice',
    times: SEEDS,
    size: { short: 30, long: 200 },
    limitMs: LIMIT_MS,
  },
  async ({ repetition, size }) => {
    const { home, served, run, report } = await startCourse(`regrade ${repetition}`, size);
    const grades = new Map(
      Array.from({ length: size }, (_, index) => [`bio-student-${index + 1}`, (index + 1) / size]),
    );
    const records = [...grades].map(([member, score]) => `${member},${score}\n`);
    writeFileSync(join(home, 'grades.csv'), `member,score\n${records.join('')}`);
    let result = await run('grade submit --from grades.csv --yes');
    // A 401 stops the run, and a refused grade is sent again on request.
    for (let tries = 0; tries < 40 && ![0, 10].includes(result.exit); tries++) {
      result = await run('grade resume 1 --retry-failed --yes');
    }
    const last = result.stdout.trim().split('\n').at(-1) ?? '';
    const { summary } = JSON.parse(last) as { summary: Summary };
    const reported = JSON.parse((await run('grade report 1')).stdout) as ReportedRecord[];
    expect(reported.map(({ member }) => member).toSorted()).toEqual([...grades.keys()].toSorted());
    expect(summary.success + summary.failed + summary.in_doubt).toBe(size);

    const { attempts } = await served.control('GET state');
    const taken = attempts.filter(({ status }) => status === 'success');
    const scores = new Map(taken.map((each) => [each.annotations.member, each.score]));
    expect(taken).toHaveLength(scores.size);
    for (const { member, outcome, status } of reported) {
      const score = scores.get(member);
      const isKnown = outcome === 'recorded' && status === 'success';
      // What lectern calls recorded is there; what is there and not called so is in doubt.
      if (isKnown) expect([member, score]).toEqual([member, grades.get(member)]);
      else if (score !== undefined) expect([member, outcome]).toEqual([member, 'in_doubt']);
    }
    const { findings, chaos } = await report();
    expect([findings, chaos?.doubled]).toEqual([[], []]);
    expect(chaos?.troubles.length).toBeGreaterThan(0);
    // Each write that chaos prevented is reported as in doubt or as failed.
    const open = reported.filter(({ status }) => status !== 'success').length;
    expect(chaos?.lost.length).toBeLessThanOrEqual(open);
  },
);

/** How a write of a row can end: it took effect, it did not, or lectern does not know. */
const EFFECTS: Readonly<Record<number, 'done' | 'not done' | 'in doubt'>> = {
  0: 'done',
  4: 'not done',
  8: 'not done',
  10: 'in doubt',
};

/** Judges the ends of one write that is tried again and again by the content of the row. */
function judgedBy(isThere: () => boolean): (result: RunResult) => void {
  let wasInDoubt = false;
  return ({ exit, stderr }) => {
    const effect = EFFECTS[exit];
    expect([exit, stderr, effect]).toEqual([exit, stderr, expect.any(String)]);
    if (effect === 'done') expect([exit, isThere()]).toEqual([exit, true]);
    if (effect === 'not done' && !wasInDoubt) expect([exit, isThere()]).toEqual([exit, false]);
    wasInDoubt ||= effect === 'in doubt';
  };
}

hostile(
  {
    tried:
      'patches of a row that other processes change: each outcome is reported correctly, and no change is lost',
    times: SEEDS,
    size: { short: 8, long: 50 },
    limitMs: LIMIT_MS,
  },
  async ({ repetition, size }) => {
    const { persist, row, report } = await startCourse(`patches ${repetition}`, 1);
    for (let edit = 0; edit < size; edit++) {
      const isThere = () => row()[`edit_${edit}`] === edit;
      await persist(`storage patch member --add /edit_${edit}:=${edit}`, judgedBy(isThere));
    }
    const written = Object.entries(row()).filter(([name]) => name.startsWith('edit_'));
    expect(written).toHaveLength(size);
    const { findings, chaos } = await report();
    expect([findings, chaos?.lost, chaos?.doubled]).toEqual([[], [], []]);
  },
);

/** A row that is replaced loses what others wrote since it was read: the contract has no way around. */
const OF_PUTS = ['request.keys_dropped'];

hostile(
  {
    tried: 'puts of a row: each outcome is reported correctly, and each before-image is stored',
    times: SEEDS,
    size: { short: 8, long: 50 },
    limitMs: LIMIT_MS,
  },
  async ({ repetition, size }) => {
    const { home, run, persist, row, report } = await startCourse(`puts ${repetition}`, 1);
    for (let edit = 1; edit <= size; edit++) {
      writeFileSync(join(home, 'row.json'), JSON.stringify({ edit }));
      await persist(
        'storage put member row.json --yes',
        judgedBy(() => row().edit === edit),
      );
    }
    const history = JSON.parse((await run('storage history member')).stdout) as object[];
    expect(history.length).toBeGreaterThanOrEqual(size);
    const codes = (await report()).findings.map(({ code }) => code);
    expect(codes.filter((code) => !OF_PUTS.includes(code))).toEqual([]);
  },
);

hostile(
  {
    tried: 'files synchronized up, down and with --delete: both sides are equal',
    times: SEEDS,
    size: { short: 4, long: 25 },
    limitMs: LIMIT_MS,
  },
  async ({ repetition, size }) => {
    const { home, served, persist, report } = await startCourse(`files ${repetition}`, 1);
    const [mine, theirs] = ['mine', 'theirs'].map((name) => join(home, name)) as [string, string];
    mkdirSync(mine);
    mkdirSync(theirs);
    for (let file = 0; file < size; file++) {
      writeFileSync(join(mine, `file-${file}.txt`), `file ${file} of ${repetition}\n`.repeat(file));
    }
    await persist('files sync mine member');
    await persist('files sync member theirs');
    const contents = (folder: string) =>
      readdirSync(folder)
        .toSorted()
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
    expect(contents(theirs)).toEqual(contents(mine));
    for (let file = 0; file < size; file += 2) rmSync(join(mine, `file-${file}.txt`));
    await persist('files sync mine member --delete --yes');
    const { files } = await served.control('GET state');
    expect(files.map(({ key }) => key).toSorted()).toEqual(readdirSync(mine).toSorted());
    expect((await report()).findings).toEqual([]);
  },
);
