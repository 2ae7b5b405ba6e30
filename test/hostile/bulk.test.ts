import { expect } from 'vitest';
import { file, members, readLines, submitFile, takeAll } from '../cli/grade/bulk.ts';
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

hostile(
  {
    tried: '200 grades over 60 connections with 40 file descriptors (ulimit -n)',
    times: { short: 1, long: 20 },
    limitMs: 20_000,
    cannotRun: () => (process.platform === 'win32' ? 'there is no ulimit' : undefined),
  },
  async () => {
    const { run, arrived } = await gradeRuns((request, response) => {
      setTimeout(() => takeAll(request, response), 20);
    });
    const wrapper = ['/bin/sh', '-c', 'ulimit -n 40; exec "$@"', 'sh'];
    const args = ['grade', 'submit', '--from', file(members(200)), '--concurrency', '60', '--yes'];
    const { exit, stderr } = await run(args, { wrapper });
    expect([exit, stderr.match(/few file descriptors/g)]).toEqual([0, ['few file descriptors']]);
    expect([arrived().length, new Set(arrived()).size]).toEqual([200, 200]);
  },
);
