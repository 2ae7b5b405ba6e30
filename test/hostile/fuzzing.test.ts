/** A service whose answers are made at random, behind real sockets, and every call of the client. */
import * as fc from '../support/property.ts';
import { expect } from 'vitest';
import {
  type Client,
  createClient,
  createTransport,
  NoAnswer,
  Refusal,
} from '../../src/client/index.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { type RawRequest, type RawServer, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { commandOf, ENTITY, KINDS, RECORD } from './answering.ts';
import {
  carriedBy,
  type GeneratedAnswer,
  generatedAnswer,
  isWhole,
  mayHang,
  piecesOf,
} from './generated-answer.ts';
import { hostileCases, waitingFor } from './support.ts';

const hostile = hostileCases('Fuzzing');

const TOKEN = 'launch-token-canary-1';
/** How long a call may wait for what never comes, and for what does. */
const PATIENCE_MS = { inVain: 60, whole: 20_000 } as const;

interface Operation {
  readonly name: string;
  readonly isWrite: boolean;
  /** What a good answer carries; `id` is this call's own. */
  readonly good: (id: string) => string;
  readonly call: (client: Client, url: string) => Promise<unknown>;
}

const BYTES = Buffer.from('{}');
const file = (id: string): string =>
  JSON.stringify({ key: 'k', size: 2, modified: 1, url: `http://127.0.0.1/${id}` });

const OPERATIONS: readonly Operation[] = [
  { name: 'row', isWrite: false, good: () => '{"a":1}', call: (client, url) => client.getRow(url) },
  {
    name: 'grade',
    isWrite: true,
    good: (id) => RECORD.replace('attempt-1', id),
    call: (client, url) => client.submitGrade(url, BYTES),
  },
  { name: 'put', isWrite: true, good: () => '', call: (client, url) => client.putRow(url, BYTES) },
  {
    name: 'patch',
    isWrite: true,
    good: () => '',
    call: (client, url) => client.patchRow(url, BYTES),
  },
  { name: 'list', isWrite: false, good: () => '[]', call: (client, url) => client.listFiles(url) },
  { name: 'stat', isWrite: false, good: file, call: (client, url) => client.fileRecord(url, 'k') },
  {
    name: 'declare',
    isWrite: true,
    good: (id) => JSON.stringify({ url: `http://127.0.0.1/${id}`, fields: { a: 'b' } }),
    call: (client, url) => client.declareFile(url, 'k', { size: 2 }),
  },
  {
    name: 'download',
    isWrite: false,
    good: () => 'ab',
    call: (client, url) => client.downloadFile(url, { length: 2, take: () => {} }),
  },
  {
    name: 'upload',
    isWrite: true,
    good: () => '',
    call: (client, url) =>
      client.uploadFile(
        { url, fields: [['a', 'b']] },
        {
          filename: 'k',
          mimetype: 'text/plain',
          length: 2,
          async *chunks() {
            yield BYTES;
          },
        },
      ),
  },
  {
    name: 'delete',
    isWrite: true,
    good: () => '',
    call: (client, url) => client.deleteFile(url, 'k'),
  },
  {
    name: 'finish',
    isWrite: true,
    good: () => '',
    call: (client, url) => client.finishProvision(url),
  },
];

interface GeneratedCall {
  readonly operation: number;
  readonly answer: GeneratedAnswer;
}

/** The grade is chosen twice as often as the other calls: it must never be lost. */
const generatedCall: fc.Arbitrary<GeneratedCall> = fc.record({
  operation: fc.oneof(fc.integer({ min: 0, max: OPERATIONS.length - 1 }), fc.constant(1)),
  answer: generatedAnswer,
});

/** A client, which makes its calls one after another, on the same connection where it can. */
const conversation = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(generatedCall) },
  { weight: 1, arbitrary: fc.array(generatedCall, { minLength: 2, maxLength: 3 }) },
);
/** How many run at the same time: most of the time is spent waiting. */
const AT_ONCE = 20;
const conversations = fc.array(conversation, { minLength: AT_ONCE, maxLength: AT_ONCE });

interface Planned {
  readonly answer: GeneratedAnswer;
  readonly good: string;
  readonly seen: RawRequest[];
}

hostile(
  {
    tried: 'calls of the client to a service with random responses',
    size: { short: 600, long: 100_000 },
    limitMs: { short: 300_000, long: 7_200_000 },
  },
  async ({ size }) => {
    const planned = new Map<string, Planned>();
    const service = await startRawServer({
      answer: (request) => {
        const plan = planned.get(/[?&]id=([^&]+)/.exec(request.target)?.[1] ?? '');
        plan?.seen.push(request);
        return plan ? piecesOf(plan.answer, plan.good) : ['RST'];
      },
    });
    let made = 0;
    const converse = async (calls: readonly GeneratedCall[]): Promise<void> => {
      const { transport, close } = createTransport();
      for (const { operation: index, answer } of calls) {
        const operation = OPERATIONS[index] as Operation;
        const id = `call-${(made += 1)}`;
        const plan: Planned = { answer, good: operation.good(id), seen: [] };
        planned.set(id, plan);
        const client = createClient(
          { kind: 'launch_token', secret: TOKEN, origin: service.origin },
          { transport, timeoutMs: mayHang(answer) ? PATIENCE_MS.inVain : PATIENCE_MS.whole },
        );
        const url = `${service.origin}/contexts/c/members/m/grades?id=${id}`;
        const outcome = await waitingFor(
          `${operation.name} ${id} ${JSON.stringify(answer)}`,
          operation.call(client, url).then(
            (value) => ({ value }),
            (error: unknown) => ({ error }),
          ),
        );
        judge(operation, plan, outcome);
        planned.delete(id);
      }
      await close();
    };
    await fc.assert(
      fc.asyncProperty(conversations, async (each) => {
        await Promise.all(each.map(converse));
      }),
      { numRuns: size / AT_ONCE, includeErrorInReport: true, endOnFailure: true },
    );
    // Who gives up lets go of the connection.
    await waitingFor('the connections to be closed', service.idle());
  },
);

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** One of three outcomes, which follows from the request and the response. */
function judge(
  { name, isWrite }: Operation,
  { answer, good, seen }: Planned,
  outcome: Outcome,
): void {
  expect(seen.length, `${name} was sent more than once`).toBeLessThanOrEqual(1);
  const [request] = seen;
  if ('error' in outcome) {
    const { error } = outcome;
    if (!(error instanceof Refusal) && !(error instanceof NoAnswer)) throw error;
    if (error instanceof NoAnswer) {
      expect(error.reason === 'timeout' && !mayHang(answer), 'it timed out').toBe(false);
      expect(error.inDoubt, `${name}: ${error.message}`).toBe(
        isWrite && (error.inDoubt || !!request),
      );
    }
  } else if (name === 'grade' && answer.flips.length === 0) {
    // Where only spaces behind it are missing, the record is whole all the same.
    const { text } = outcome.value as { text: string };
    expect(carriedBy(answer, good).startsWith(text), text.slice(0, 500)).toBe(true);
  }
  // What stood before on a connection may have spoilt it for what comes after.
  if (!isWhole(answer) || request?.index !== 0) return;
  // A file is not decompressed: its bytes are not those of its record then.
  if (name === 'download' && answer.coding !== 'none') return;
  const found = 'value' in outcome ? 'done' : outcome.error;
  const { status } = answer;
  if (status >= 400 && status < 500) expect(found).toBeInstanceOf(Refusal);
  else if (status < 200 || status >= 300 || status === 204) return;
  else if (answer.body === undefined) expect(found).toBe('done');
}

/** The exit codes that a command may end with, whatever comes back. */
const EXITS = {
  read: [0, 4, 5, 6, 7, 8],
  write: [0, 4, 5, 6, 7, 8, 10],
  grade: [0, 4, 5, 6, 7, 8, 9, 10],
} as const;

hostile(
  {
    tried: 'commands to a service with random responses',
    size: { short: 40, long: 5_000 },
    limitMs: { short: 120_000, long: 3_600_000 },
  },
  async ({ size }) => {
    let answers: readonly GeneratedAnswer[] = [];
    const service: RawServer = await startRawServer({
      answer: ({ method }) => {
        const kind = method === 'GET' ? 'read' : method === 'PUT' ? 'write' : 'grade';
        const [answer, ...others] = answers;
        answers = others;
        return answer ? piecesOf(answer, ENTITY[kind].toString()) : ['FIN'];
      },
    });
    const home = temporaryFolder();
    const launch = launchFile(service.origin);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...KINDS),
        fc.array(generatedAnswer, { minLength: 1, maxLength: 3 }),
        async (kind, generated) => {
          answers = generated;
          const from = service.requests.length;
          const seconds = generated.some(mayHang) ? 0.1 : 20;
          const result = await lectern(commandOf(kind, launch, seconds), { home, input: '{}' });
          const sent = service.requests.slice(from).filter(({ method }) => method !== 'GET').length;
          expect(sent, result.stderr).toBeLessThanOrEqual(1);
          expect(EXITS[kind], result.stderr).toContain(result.exit);
          expect(`${result.stdout}${result.stderr}`).not.toContain(TOKEN);
          if (result.exit !== 0) expect(result.stderr).toMatch(/lectern: .|"message":"./);
        },
      ),
      { numRuns: size, includeErrorInReport: true, endOnFailure: true },
    );
  },
);
