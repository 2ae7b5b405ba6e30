import { expect, test } from 'vitest';
import { runScript } from './requests-of.ts';
import { emulated } from './running.ts';

/** Mistakes of a tool, what the report says of each, and the same job by the contract. */
const MISTAKES: readonly {
  readonly code: string;
  readonly says: RegExp;
  readonly does: readonly string[];
  readonly instead: readonly string[];
}[] = [
  {
    code: 'request.refused',
    says: /422 row\.too_large: .*512 KB/,
    does: ['PUT storage.member {"text": "…"} of 600000 bytes'],
    instead: ['PUT storage.member {"text": "…"} of 6000 bytes'],
  },
  {
    code: 'request.refused',
    says: /422 patch\.no_wrapper/,
    does: ['PATCH storage.member {"op": "add", "path": "/page", "value": 2}'],
    instead: ['PATCH storage.member {"patch": [{"op": "add", "path": "/page", "value": 2}]}'],
  },
  {
    code: 'request.refused',
    says: /403 row\.forbidden/,
    does: ['student: PUT storage.context {"title": "A"}'],
    instead: ['staff: PUT storage.context {"title": "A"}'],
  },
  {
    code: 'request.refused',
    says: /422 file\.key_invalid/,
    does: ['PUT files.member/.draft {"size": 5}'],
    instead: ['GET files.member/draft'],
  },
  {
    code: 'request.refused',
    says: /422 file\.too_large: .*25 MB/,
    does: ['PUT files.member/film {"size": 30000000}'],
    instead: ['DELETE files.member/film'],
  },
  {
    code: 'request.refused',
    says: /422 grade\.score_range: score must be between 0 and 1/,
    does: ['POST grade.submit {"score": 8}'],
    instead: ['POST grade.submit {"score": 0.8}'],
  },
  {
    code: 'request.unknown_field',
    says: /"coment" was sent/,
    does: ['POST grade.submit {"score": 0.5, "coment": "good"}'],
    instead: ['POST grade.submit {"score": 0.5, "comment": "good"}'],
  },
  {
    code: 'request.launch_id',
    says: /launch_id was sent/,
    does: ['POST grade.submit {"score": 0.25, "launch_id": "7f1c"}'],
    instead: ['POST grade.submit {"score": 0.25}'],
  },
  {
    code: 'request.removed_endpoint',
    says: /GET \/apps\/me/,
    does: ['GET /apps/me'],
    instead: [],
  },
  {
    code: 'request.api_key_not_valid',
    says: /on a member row/,
    does: ['GET storage.member with the API key'],
    instead: ['GET storage.member'],
  },
  {
    code: 'request.bearer_to_signed_url',
    says: /signed upload URL/,
    does: [
      'PUT files.member/notes.txt {"size": 5}',
      'POST the form with "hello" and the bearer token',
      'POST the form with "hello"',
    ],
    instead: ['PUT files.member/notes.txt {"size": 5}', 'POST the form with "hello"'],
  },
  {
    code: 'request.declaration_without_upload',
    says: /outline\.txt/,
    does: ['PUT files.member/outline.txt {"size": 5}'],
    instead: ['PUT files.member/outline.txt {"size": 5}', 'POST the form with "hello"'],
  },
];

test('the report names each of twelve mistakes of a careless tool, and nothing else', async () => {
  const here = await emulated();
  for (const { does } of MISTAKES) await runScript(here, does);
  const { findings } = await here.json<{
    findings: readonly { code: string; message: string; requests: readonly number[] }[];
  }>('emulator report');
  const said = findings.map(({ code, message }) => `${code} ${message}`);
  expect(said).toHaveLength(MISTAKES.length);
  for (const { code, says } of MISTAKES) {
    const named = said.filter((each) => each.startsWith(`${code} `) && says.test(each));
    expect([code, says, named.length]).toEqual([code, says, 1]);
  }
  const { exit, stdout } = await here.run('emulator report --quiet --fail-on warning');
  expect([exit, stdout]).toEqual([
    9,
    expect.stringMatching(/^\d errors, \d warnings in .* met\n$/),
  ]);
});

test('the report on a careful tool is one line with --quiet', async () => {
  const here = await emulated();
  for (const { instead } of MISTAKES) await runScript(here, instead);
  const { exit, stdout } = await here.run('emulator report --quiet --fail-on warning');
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^no findings in 13 requests; .* met\n$/),
  ]);
});
