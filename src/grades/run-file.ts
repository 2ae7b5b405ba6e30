/**
 * A run in a file, to be moved to another machine: its head, its records, its attempts, and the
 * SHA-256 of all lines before the last, each a line of JSON.
 */
import { createHash } from 'node:crypto';
import {
  checkGradeBody,
  checkMember,
  gradeUrlTemplate,
  isCertain,
  isObject,
} from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import { matches } from '../schema/check.ts';
import * as s from '../schema/schema.ts';
import { filedAttempt } from '../ledger/columns.ts';
import { CREDENTIAL, FILED_ATTEMPT, PLANNED_RECORD } from '../ledger/filed.ts';
import { type Ledger, type RunFile, type RunRecord, type State, STATES } from '../ledger/ledger.ts';
import { paginate } from '../ledger/pages.ts';

const VERSION = 1;

const HEAD = s.object({
  lectern_run: s.oneOf(VERSION),
  run: s.object({
    id: s.count,
    time: s.count,
    target: s.object({ url: s.text, origin: s.text, 'location?': s.text, 'context?': s.text }),
    credential: CREDENTIAL,
    source: s.text,
    options: s.mapOf(s.any),
    digest: s.text,
  }),
});

/**
 * The lines of a run's file. The names of its launch and its key are left out, since they are those of
 * this machine.
 */
export async function* runFile(ledger: Ledger, run: RunRecord): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const encoded = (values: readonly object[]): Uint8Array => {
    const bytes = Buffer.from(values.map((each) => `${JSON.stringify(each)}\n`).join(''));
    hash.update(bytes);
    return bytes;
  };
  const { id, time, target, credential: kind, source, digest } = run;
  const { launch: _launch, apiKey: _apiKey, moved: _moved, ...options } = run.options;
  const head = { id, time, target, credential: kind, source, options, digest };
  yield encoded([{ lectern_run: VERSION, run: head }]);
  for await (const page of ledger.pages(id)) {
    yield encoded(page.map(({ line, member, body }) => ({ line, member, body })));
  }
  for await (const page of paginate(ledger.attempts({ run: id }), ATTEMPTS_AT_ONCE)) {
    const evidence = await ledger.evidence(page.map((attempt) => attempt.id));
    yield encoded(page.map((attempt) => filedAttempt(attempt, evidence.get(attempt.id))));
  }
  yield Buffer.from(`${JSON.stringify({ sha256: hash.digest('hex') })}\n`);
}

const ATTEMPTS_AT_ONCE = 500;

/**
 * Reads the file of a run, and checks all of it.
 *
 * @throws {InvalidError} `ledger.import`: the file is damaged, of a newer lectern, or no run
 */
export function readRunFile(bytes: Uint8Array, source: string): RunFile {
  const [head, ...rest] = Array.from(
    linesOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    parsed,
  );
  const last = rest.pop();
  if (!isObject(head) || !('lectern_run' in head)) throw refused(source, 'is no run of lectern');
  const { lectern_run: version } = head;
  if (typeof version === 'number' && version > VERSION) {
    throw refused(source, `has version ${version}, which is newer: update lectern`);
  }
  const end = bytes.lastIndexOf(LINE_BREAK, bytes.length - 2) + 1;
  const sha256 = createHash('sha256').update(bytes.subarray(0, end)).digest('hex');
  if (!isObject(last) || last.sha256 !== sha256 || bytes.at(-1) !== LINE_BREAK) {
    throw refused(source, 'was cut or changed: export the run again');
  }
  const records = rest.filter((each) => isObject(each) && !('url' in each));
  const attempts = rest.filter((each) => isObject(each) && 'url' in each);
  if (!matches(HEAD, head) || !areSound(head.run.target.url, rest)) {
    throw refused(source, 'is not valid: no lectern wrote it');
  }
  return {
    run: head.run,
    records: records as RunFile['records'],
    attempts: attempts as RunFile['attempts'],
  };
}

/** The file may be longer than a string can be. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(LINE_BREAK, at);
    const next = end === -1 ? bytes.length : end;
    yield bytes.toString('utf8', at, next);
    at = next + 1;
  }
}

/** What a run sends, and what is read from an answer: as if this machine had stored it. */
function areSound(url: string, lines: readonly unknown[]): boolean {
  if (!('url' in gradeUrlTemplate(url, undefined))) return false;
  return lines.every((line) => {
    if (!matches(PLANNED_RECORD, line)) return false;
    const { member, body } = line;
    const grade = parsed(body);
    if (checkMember(member) || !isObject(grade) || checkGradeBody(grade).some(isCertain))
      return false;
    return !('url' in line) || isSoundAttempt(line);
  });
}

function isSoundAttempt(attempt: object): boolean {
  if (!matches(FILED_ATTEMPT, attempt)) return false;
  if (attempt.outcome === null) return true;
  const { state, text } = attempt.outcome;
  const isRecorded = state === 'success' || state === 'failed';
  return STATES.includes(state as State) && (!isRecorded || isObject(parsed(text ?? '')));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const LINE_BREAK = 0x0a;

function refused(source: string, why: string): InvalidError {
  return new InvalidError(`${source} ${why}`, { code: 'ledger.import' });
}
