/**
 * Each rule of the tables is asked of the validator, of the emulator over HTTP, and of the command
 * line. What the validator finds wrong for certain is what the service refuses.
 */
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Code } from '../../src/contract/index.ts';
import {
  type Finding,
  type Payload,
  simulatePatch,
  validateDeclaration,
  validateGrade,
  validateHostedTool,
  validateKey,
  validateLocations,
  validateRow,
} from '../../src/validator/index.ts';
import { byId, type Launch, rule, type Subject } from '../emulator/subject.ts';
import { type Answer, SUCCESS } from '../emulator/wire.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { expectWhole } from '../validator/findings.ts';
import { DECLARATIONS, KEYS } from './files.ts';
import { GRADES } from './grades.ts';
import { HOSTED_TOOLS } from './hosted-tools.ts';
import { LOCATIONS } from './locations.ts';
import { PATCHES, type PatchRule } from './patches.ts';
import { ROWS, type RowRule } from './rows.ts';
import { isError, type Rule, shown } from './rule.ts';

/** A subject: its rules, and how the validator and the command line are asked about a payload. */
interface Table<Of extends Rule> {
  readonly kind: string;
  readonly rules: readonly Of[];
  readonly validate: (payload: Payload, rule: Of) => readonly Finding[];
  /** The flags of `validate`, given the file of a patch's row. */
  readonly flags?: (rule: Of, against: string) => readonly string[];
}

interface Refusal {
  readonly error: { readonly code: string };
}

/** How the service is asked. */
interface Calls<Of extends Rule> {
  readonly send: (launch: Launch, payload: Payload, rule: Of) => Promise<Answer>;
  /** What a refusal must not change. */
  readonly kept?: (launch: Launch, subject: Subject) => Promise<unknown>;
  /** What must hold after an accepted payload. */
  readonly accepted?: (
    launch: Launch,
    payload: Payload,
    rule: Of,
    service: Subject,
  ) => Promise<void>;
}

/** As the tables write findings. */
const brief = (findings: readonly Pick<Finding, 'code' | 'path' | 'severity'>[]): string[] =>
  findings.map(
    ({ code, path, severity }) =>
      `${code} ${path}`.trimEnd() + (severity === 'error' ? '' : ` (${severity})`),
  );

/** The codes and paths of the rules are those of the validator and of the command line. */
function offline<Of extends Rule>({ kind, rules, validate, flags }: Table<Of>): void {
  test.each(rules)(`the validator of ${kind}: $name`, (each) => {
    for (const payload of each.payloads) {
      const findings = validate(payload, each);
      const name = shown(payload);
      expect([name, ...brief(findings)]).toEqual([name, ...(each.found ?? [])]);
      expectWhole(findings);
    }
  });

  test(`lectern validate ${kind} finds the same`, async () => {
    for (const each of rules) {
      const { name, found = [], payloads } = each;
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, 'row.txt'), (each as PatchRule).against ?? '{}');
      payloads.forEach((payload, at) => writeFileSync(join(cwd, `${at + 10}.json`), payload));
      const line = ['validate', kind, '--json', ...(flags?.(each, 'row.txt') ?? [])];
      const runs =
        kind === 'key'
          ? [await lectern([...line, '--', ...payloads.map(String)], { cwd })]
          : kind === 'file'
            ? await Promise.all(payloads.map((input) => lectern([...line, '-'], { cwd, input })))
            : [await lectern([...line, ...payloads.map((_, at) => `${at + 10}.json`)], { cwd })];
      const results = runs.flatMap(
        ({ stdout }) => JSON.parse(stdout) as { findings: Finding[]; valid: boolean }[],
      );
      expect([name, results.map(({ findings }) => brief(findings))]).toEqual([
        name,
        payloads.map(() => found),
      ]);
      expect([name, ...runs.map(({ exit }) => exit)]).toEqual([
        name,
        ...runs.map(() => (found.some(isError) ? 3 : 0)),
      ]);
    }
  });
}

/** The service refuses what is wrong for certain, with the first code, and takes the rest. */
function online<Of extends Rule>(
  { kind, rules }: Table<Of>,
  { send, kept, accepted }: Calls<Of>,
): void {
  rule(`the service has the rules of ${kind}`, async (service) => {
    const launch = await service.launch({ role: 'instructor' });
    await launch.call('PUT', launch.claims.provision.context);
    for (const each of rules) {
      const codes = (each.found ?? []).map((found) => found.split(' ')[0] as Code);
      const refused = codes.filter(service.refuses);
      const isWrong = (each.found ?? []).some(isError);
      const expected = refused.length > 0 || isWrong ? 422 : undefined;
      const before = expected && (await kept?.(launch, service));
      for (const payload of each.payloads) {
        const answer = await send(launch, payload, each);
        const name = `${each.name}: ${shown(payload)}`;
        const status = answer.status < 300 ? undefined : answer.status;
        expect([name, status]).toEqual([name, expected]);
        if (expected === undefined) {
          await accepted?.(launch, payload, each, service);
          continue;
        }
        if (service.isRead('envelope')) {
          const { code } = answer.json<Refusal>().error;
          const possible = service.isRead('several') ? refused.slice(0, 1) : refused;
          expect([name, possible.includes(code as Code)]).toEqual([name, true]);
        }
        if (service.isRead('messages') && service.isRead('several') && isWrong)
          expect(answer.message).toContain(each.message ?? '');
      }
      if (expected !== undefined) expect(await kept?.(launch, service)).toEqual(before);
    }
  });
}

/** What a text or bytes are as the body of a request. */
const asBody = (payload: Payload): { body: Uint8Array } => ({ body: Buffer.from(payload) });

describe('rows', () => {
  const table: Table<RowRule> = {
    kind: 'row',
    rules: ROWS,
    validate: (payload, { kind }) => validateRow(payload, { kind }),
    flags: ({ kind }) => (kind === undefined ? [] : ['--kind', kind]),
  };
  offline(table);
  online(table, {
    send: (launch, payload, { kind = 'context' }) =>
      launch.call('PUT', launch.row(kind), asBody(payload)),
    kept: async (launch) => (await launch.get(launch.row('context'))).text,
    accepted: async (launch, payload, { kind = 'context' }) =>
      expect((await launch.get(launch.row(kind))).bytes.equals(Buffer.from(payload))).toBe(true),
  });
});

describe('patches', () => {
  const table: Table<PatchRule> = {
    kind: 'patch',
    rules: PATCHES,
    validate: (payload, { against = '{}', after }) => {
      const { findings, row } = simulatePatch(payload, { against, kind: 'member' });
      if (after !== undefined) expect(row?.text).toBe(after);
      return findings;
    },
    flags: (_rule, against) => ['--kind', 'member', '--against', against],
  };
  offline(table);
  online(table, {
    send: async (launch, payload, { against = '{}' }) => {
      await launch.call('PUT', launch.row('member'), asBody(against));
      return launch.call('PATCH', launch.row('member'), asBody(payload));
    },
    accepted: async (launch, _payload, { after }, { isRead }) => {
      if (after !== undefined && isRead('patched'))
        expect((await launch.get(launch.row('member'))).text).toBe(after);
    },
  });

  rule('a refused patch changes nothing, not even by its operations before', async (service) => {
    const student = await service.launch();
    await student.put(student.row('member'), { a: 1 });
    const operations = [
      { op: 'add', path: '/b', value: 1 },
      { op: 'remove', path: '/none' },
    ];
    expect((await student.patch(student.row('member'), operations)).status).toBe(422);
    expect((await student.get(student.row('member'))).text).toBe('{"a":1}');
  });
});

describe('keys', () => {
  const table: Table<Rule> = {
    kind: 'key',
    rules: KEYS,
    validate: (payload) => validateKey(String(payload)),
  };
  offline(table);
  // Half of a surrogate pair has no UTF-8: the service gets U+FFFD.
  const file = (launch: Launch, key: Payload): string =>
    launch.file('member', encodeURIComponent(Buffer.from(key).toString()));
  online(table, {
    send: (launch, payload) => launch.call('PUT', file(launch, payload), { json: { size: 1 } }),
    kept: async (launch) => (await launch.get(launch.files('member'))).text,
    accepted: async (launch, payload) => {
      const key = String(payload);
      expect((await launch.upload('member', key, 'x')).status).toEqual(SUCCESS);
      expect((await launch.get(launch.file('member', key))).json().key).toBe(key);
      await launch.call('DELETE', launch.file('member', key));
    },
  });

  rule('an invalid key is 404 on GET and 204 on DELETE', async (service) => {
    const student = await service.launch();
    for (const key of ['', '.a', 'a b', 'é', 'k'.repeat(129)]) {
      const url = file(student, key);
      const statuses = [await student.get(url), await student.call('DELETE', url)];
      expect([key, ...statuses.map(({ status }) => status)]).toEqual([key, 404, 204]);
    }
    for (const segment of ['a/b', '%ff']) {
      const url = student.file('member', segment);
      expect((await student.call('PUT', url, { json: { size: 1 } })).status).toBe(422);
    }
  });
});

describe('declarations', () => {
  const table: Table<Rule> = {
    kind: 'file',
    rules: DECLARATIONS,
    validate: (payload) => validateDeclaration(payload, { key: 'k' }),
    flags: () => ['--key', 'k'],
  };
  offline(table);
  online(table, {
    send: (launch, payload) => launch.call('PUT', launch.file('member', 'k'), asBody(payload)),
  });
});

describe('grades', () => {
  const table: Table<Rule> = { kind: 'grade', rules: GRADES, validate: validateGrade };
  offline(table);
  online(table, {
    send: (launch, payload) => launch.call('POST', launch.submit, asBody(payload)),
    kept: async (_launch, { control }) => {
      const { attempts, gradebook } = await control('state');
      return [attempts.length, gradebook];
    },
  });
});

describe('locations', () => {
  offline({ kind: 'locations', rules: LOCATIONS, validate: validateLocations });

  rule('the service has the rules of locations', async ({ control }) => {
    for (const { name, found = [], message, payloads } of LOCATIONS) {
      // What is wrong with the text itself does not reach the control API.
      if (found.some((each) => each.startsWith('body.'))) continue;
      for (const payload of payloads) {
        const answer: unknown = JSON.parse(String(payload));
        const asked = control('locations', { answer }).then(() => 'accepted', String);
        const expected = found.some(isError) ? expect.stringContaining(message ?? '') : 'accepted';
        expect([name, await asked]).toEqual([name, expected]);
      }
    }
  });
});

describe('hosted tools', () => {
  test.each(HOSTED_TOOLS)('the validator: $name', ({ tool, found }) => {
    const findings = validateHostedTool(tool);
    expect(brief(findings)).toEqual(found);
    expectWhole(findings);
  });

  rule('the service has the rules of hosted tools', async ({ control }) => {
    for (const { name, tool, found, message } of HOSTED_TOOLS) {
      // Others are refused, if at all, by the command that reads the folder or the zip.
      if (message === undefined && found.length > 0) continue;
      const versions = async () => byId((await control('state')).tools, 'sketch').versions.length;
      const before = await versions();
      const published = control('tool', {
        tool: 'sketch',
        action: 'publish',
        visibility: 'private',
        files: tool.files,
        ...(tool.zipSize !== undefined && { zip_size: tool.zipSize }),
        ...(tool.manifest !== undefined && { manifest: JSON.parse(tool.manifest) }),
      }).then(() => 'accepted', String);
      const expected = message === undefined ? 'accepted' : expect.stringContaining(message);
      expect([name, await published]).toEqual([name, expected]);
      expect((await versions()) - before).toBe(message === undefined ? 1 : 0);
    }
  });
});
