import { expect } from 'vitest';
import { file, members, readLines, submitFile } from '../cli/grade/bulk.ts';
import { gradeRuns, withoutProgress } from './grade-runs.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Bulk');

hostile(
  {
    tried: 'a run at a fast service, on one core',
    times: { short: 1, long: 50 },
    size: { short: 500, long: 2000 },
    cannotRun: () => (process.platform === 'linux' ? undefined : 'taskset is of Linux'),
  },
  async ({ repetition, size }) => {
    const { run, arrived } = await gradeRuns();
    const concurrency = [1, 4, 16, 64][repetition % 4];
    const submit = [...submitFile(file(members(size))), '--concurrency', String(concurrency)];
    const result = await run(submit, { wrapper: ['taskset', '-c', '0'] });
    expect([result.exit, withoutProgress(result.stderr)]).toEqual([0, '']);
    expect(readLines(result).summary).toMatchObject({ rows: size, success: size });
    expect(arrived()).toHaveLength(size);
  },
);
