/**
 * Odd answers of a service, and the required outcome of a read, a row write and a grade. The
 * expectations are product.md's: what an answer means follows from HTTP and the contract, never from
 * what lectern happens to do with it.
 */
import { expect } from 'vitest';
import { clockAfter } from '../support/clock.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import {
  type Piece,
  type RawRequest,
  type RawServerOptions,
  startRawServer,
} from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { IS_LONG } from './support.ts';

export type Kind = 'read' | 'write' | 'grade';
const KINDS: readonly Kind[] = ['read', 'write', 'grade'];

/** The exit codes that are right. What comes of each lost write is in the simulation of rows. */
export type Expected = Readonly<Record<Kind, readonly number[]>>;

/** The answer says what it should. */
export const GOOD: Expected = { read: [0], write: [0], grade: [0] };
/** No answer, or one that broke off: the row is read again, a grade is in doubt. */
export const LOST: Expected = { read: [8], write: [0], grade: [10] };
/** An answer came and is of no use: a redirect, a 5xx, what is no row and no attempt. */
export const UNUSABLE: Expected = { read: [8], write: [10], grade: [10] };
/** HTTP lets a client take it or not; nothing else may come of it. */
export const GOOD_OR_LOST: Expected = { read: [0, 8], write: [0, 8, 10], grade: [0, 10] };

export const ROW = '{"a":1,"big":123456789012345678901234567890}';
export const RECORD = `{"id":"attempt-1","status":"success","score":0.50,"max_score":null,"activity_progress":"Completed","grading_progress":"FullyGraded","submitted":"2026-11-20T10:00:00.000Z","lineitem":"https://lms.example/1","data":{"comment":"","response":null,"error":"","source_type":"launch_token","source_id":"u"},"annotations":{"member":"m-1","location":"l-1","app":"a","context":"c-1"},"big":123456789012345678901234567890}`;

/** What a good answer carries: the row, nothing, the record of the attempt. */
export const ENTITY: Readonly<Record<Kind, Buffer>> = {
  read: Buffer.from(ROW),
  write: Buffer.alloc(0),
  grade: Buffer.from(RECORD),
};

export interface HostileAnswer {
  readonly name: string;
  readonly pieces: (kind: Kind, request: RawRequest) => Iterable<Piece> | AsyncIterable<Piece>;
  readonly expected: Expected;
  /** What it is tried on; everything unless given. */
  readonly kinds?: readonly Kind[];
  /** What a read prints, white space aside, where it is not the row. */
  readonly prints?: string;
  /** What an error says of it. */
  readonly says?: string;
  /** `--timeout`: where the only end is that of patience. It counts once the request has come. */
  readonly timeoutSeconds?: number;
}

/** Long enough to be no part of what is tried. */
const PATIENCE_SECONDS = 60;
const TOKEN = 'launch-token-canary-1';
const BEFORE = '{"before":true}';
const SENT = '{"sent":true}';

const METHODS: Readonly<Record<Kind, string>> = { read: 'GET', write: 'PUT', grade: 'POST' };

interface Trial {
  readonly answer: HostileAnswer;
  readonly kind: Kind;
}

/** What one answer is tried on; in the short form each in turn on one of them. */
function trialsOf(answer: HostileAnswer, index: number, isWhole: boolean): Trial[] {
  const trials = (answer.kinds ?? KINDS).map((kind) => ({ answer, kind }));
  return isWhole ? trials : [trials[index % trials.length] as Trial];
}

/**
 * Gives each answer to a read, a row write and a grade, in the short form to one of them unless `isWhole`. Fails with
 * everything that came out wrong: exit codes, output, what the service saw and what the ledger has.
 */
export async function tryAnswers(
  answers: readonly HostileAnswer[],
  isWhole = IS_LONG,
): Promise<void> {
  const wrong: string[] = [];
  const grades: { name: string; exit: number }[] = [];
  let reply: RawServerOptions['answer'] = () => [];
  const service = await startRawServer({ answer: (request) => reply(request) });
  const home = temporaryFolder();
  const launch = launchFile(service.origin);
  for (const trial of answers.flatMap((answer, index) => trialsOf(answer, index, isWhole))) {
    const { timeoutSeconds } = trial.answer;
    const name = `${trial.answer.name}, ${trial.kind}`;
    const from = service.requests.length;
    reply = honestBut(trial);
    const result = await lectern(commandOf(trial.kind, launch, timeoutSeconds), {
      home,
      input: trial.kind === 'write' ? SENT : '',
      ...(timeoutSeconds !== undefined && { clock: clockAfter(service.requests, isTried(trial)) }),
    });
    const faults = faultsOf(trial, result, service.requests.slice(from));
    wrong.push(...faults.map((fault) => `${name}: ${fault}`));
    if (trial.kind === 'grade') grades.push({ name, exit: result.exit });
  }
  if (grades.length > 0) {
    const { stdout } = await lectern(['grade', 'log', '--json'], { home });
    wrong.push(...ledgerFaults(grades, stdout));
  }
  if (wrong.length > 0) expect.fail(wrong.slice(0, 30).join('\n'));
}

function isTried({ kind }: Trial): (request: RawRequest) => boolean {
  return ({ method }) => method === METHODS[kind];
}

/** The command line of a kind of call. */
function commandOf(kind: Kind, launch: string, timeoutSeconds = PATIENCE_SECONDS): string[] {
  const flags = ['-l', launch, '--timeout', String(timeoutSeconds)];
  if (kind === 'read') return ['storage', 'get', 'member', ...flags];
  if (kind === 'write') return ['storage', 'put', 'member', '-', '--yes', ...flags];
  return ['grade', 'submit', '--score', '0.5', '--json', ...flags];
}

/** A service that gives the answer that is tried, and otherwise reports its row correctly. */
function honestBut({ answer, kind }: Trial): RawServerOptions['answer'] {
  let row = BEFORE;
  return (request) => {
    if (request.method !== METHODS[kind]) return [ok(row)];
    row = SENT;
    return answer.pieces(kind, request);
  };
}

/** A plain good answer. */
export function ok(body: string | Uint8Array, headers = ''): Buffer {
  const bytes = Buffer.from(body as string);
  const head = `HTTP/1.1 200 OK\r\n${headers}content-length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

/** What is wrong with how a command ended. */
function faultsOf(
  trial: Trial,
  { exit, stdout, stderr }: { exit: number; stdout: string; stderr: string },
  seen: readonly RawRequest[],
): string[] {
  const { answer, kind } = trial;
  const exits = answer.expected[kind];
  const found: string[] = [];
  const claim = (holds: boolean, what: string): void => void (holds || found.push(what));
  claim(exits.includes(exit), `exit ${exit}, not ${exits.join(' or ')}: ${stderr.slice(0, 300)}`);
  claim(!`${stdout}${stderr}`.includes(TOKEN), 'the token was printed');
  const sent = seen.filter(isTried(trial)).length;
  claim(sent === 1, `sent ${sent} times`);
  // The row is read before, and again only where it may be found as it was sent.
  const most = kind === 'write' ? 1 + Number(exits.includes(0)) : 0;
  claim(seen.length - sent <= most, `${seen.length - sent} further requests`);
  if (exit !== 0) {
    claim(/^(lectern: |\{"error":)/m.test(stderr), `it ended without saying why: ${stderr}`);
    claim(stderr.includes(answer.says ?? ''), `it does not say "${answer.says}": ${stderr}`);
    claim(!/this is a bug|false == true|undefined|\[object/.test(stderr), `bad text: ${stderr}`);
  }
  claim(
    answer.timeoutSeconds !== undefined || !stderr.includes('no answer within'),
    `it waited for an answer: ${stderr}`,
  );
  const printed = stdout.replaceAll(/[ \r\n\t]/g, '');
  if (kind === 'read')
    claim(
      printed === (exit === 0 ? (answer.prints ?? ROW) : ''),
      `printed ${printed.slice(0, 300)}`,
    );
  if (kind === 'grade' && exit === 0) {
    claim(stdout.includes('123456789012345678901234567890'), `the record is ${stdout}`);
  }
  return found;
}

/** What each exit of a grade means for what the ledger keeps of it. */
const KEPT: Readonly<Record<number, string>> = {
  0: 'recorded',
  4: 'not_sent',
  5: 'refused',
  6: 'refused',
  7: 'refused',
  8: 'not_sent',
  10: 'in_doubt',
};

function ledgerFaults(grades: readonly { name: string; exit: number }[], log: string): string[] {
  const lines = log.trimEnd().split('\n').reverse();
  if (lines.length !== grades.length) {
    return [`the ledger has ${lines.length} attempts of ${grades.length}`];
  }
  return grades.flatMap(({ name, exit }, index) => {
    const line = lines[index] ?? '';
    const { outcome } = JSON.parse(line) as { outcome: string };
    const isWhole = exit !== 0 || line.includes('123456789012345678901234567890');
    if (outcome.replace('-', '_') === KEPT[exit] && isWhole) return [];
    return [`${name}: exit ${exit}, and the ledger keeps ${line.slice(0, 500)}`];
  });
}
