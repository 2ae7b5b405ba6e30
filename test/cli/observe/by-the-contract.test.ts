import { describe, expect, test } from 'vitest';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Claims } from '../../emulator/documents.ts';
import { REQUEST_SCRIPTS, runScript } from '../emulator/requests-of.ts';
import { emulated } from '../emulator/running.ts';
import { observed } from './support.ts';

/** Scripts of one student: an observer leads one launch through. */
const OF_ONE = REQUEST_SCRIPTS.filter(({ does }) => !does.some((line) => /^\w+: /.test(line)));

const MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

describe('observe beside the emulator', () => {
  test.each(OF_ONE)(
    'reports the same of a tool as the emulator does: $code',
    async ({ code: expectedCode, does }) => {
      const behind = await emulated();
      const { api_key: apiKey } = await behind.json<Answers['POST key']>('emulator key');
      const claims = await behind.json<Claims>('emulator launch --role student');
      let offset = 0;
      const now = (): number => Date.now() + offset;
      const observer = await observed(claims as never, { apiKey, now });
      const run: typeof behind.run = (line, more) => {
        const [, , amount = '', unit = ''] =
          /(advance) (\d+)([hms])/.exec([line].flat().join(' ')) ?? [];
        offset += Number(amount) * (MS[unit] ?? 0);
        return behind.run(line, more);
      };
      const json = async <Document>(line: string | readonly string[]): Promise<Document> =>
        line === 'emulator launch --role student'
          ? (observer.claims as Document)
          : behind.json<Document>(line);
      await runScript({ ...behind, run, json }, does);
      const { findings, differences } = await observer.report();
      const expected = await behind.json<Answers['GET report']>('emulator report');
      const codes = (report: { readonly findings: readonly { readonly code: string }[] }) =>
        report.findings.map(({ code }) => code).toSorted();
      // The token of a launch is not led to another origin, so the emulator does not see it there.
      const isKept = expectedCode === 'request.bearer_to_signed_url';
      expect(codes({ findings })).toEqual(isKept ? [expectedCode] : codes(expected));
      expect(differences).toEqual([]);
    },
  );
});
