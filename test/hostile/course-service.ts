import { createEmulator } from '../../src/emulator/index.ts';
import { isStream } from '../../src/emulator/http/messages.ts';
import { atEnd, waitingFor } from '../support/scope.ts';
import { claimsFile, type SeenRequest, startService } from '../support/service.ts';

/**
 * The stage of an exchange when it is held: the request has come and did nothing yet; it took effect
 * and no byte of the answer went out; half of the answer did.
 */
export type Stage = 'asked' | 'done' | 'half';

/** A moment in the life of a command: the `nth` request (from 0) that matches, at a stage. */
export interface Moment {
  readonly method: string;
  readonly target: RegExp;
  readonly stage: Stage;
  readonly nth?: number;
}

/** An exchange that is held. */
export interface Held {
  /** Lets it continue. */
  readonly release: () => void;
}

/** The addresses of a launch of this service, by what they are for. */
export const AT = {
  row: /\/row/,
  files: /\/files(\/[^?]*)?$/,
  upload: /\/incoming/,
  bytes: /signature=/,
  grade: /\/scores/,
};

const ROW = 'member/quiz/m-1';
const WORLD = {
  tools: [{ id: 'quiz' }],
  courses: [{ id: 'c-1', members: [{ id: 'm-1' }], locations: [{ id: 'l-1', tool: 'quiz' }] }],
};

/**
 * An emulator behind real HTTP, which stops at a moment that a test names. The member row of its student
 * has the file `old.bin` at first.
 */
export async function startCourse(data = '{"a":1,"b":2}') {
  const requests: SeenRequest[] = [];
  let awaited: (Moment & { left: number; reached: (held: Held) => void }) | undefined;

  const take = ({ method, target }: SeenRequest): typeof awaited => {
    if (awaited?.method !== method || !awaited.target.test(target)) return undefined;
    const found = awaited;
    found.left -= 1;
    if (found.left >= 0) return undefined;
    awaited = undefined;
    return found;
  };

  const serve = (origin: 'api' | 'blobs') =>
    startService(async (request, response) => {
      requests.push(request);
      const moment = take(request);
      const stop = async (stage: Stage): Promise<void> => {
        if (moment?.stage === stage)
          await new Promise<void>((release) => void moment.reached({ release }));
      };
      await stop('asked');
      const { status, headers, body } = await emulator.handle({ ...request, origin });
      const bytes = isStream(body)
        ? Buffer.concat(await body.toArray())
        : Buffer.from((body as string | null) ?? '');
      await stop('done');
      if (response.destroyed) return;
      if (status === 204) return void response.writeHead(status, headers).end();
      response.writeHead(status, { ...headers, 'content-length': bytes.length });
      const middle = Math.ceil(bytes.length / 2);
      response.write(bytes.subarray(0, middle));
      await stop('half');
      response.end(bytes.subarray(middle));
    });

  const [{ origin }, blobs] = [await serve('api'), await serve('blobs')];
  const urls = { api: origin, blobs: blobs.origin, isOwn: () => true };
  const seeded = { row: ROW, data, files: [{ key: 'old.bin', size: 200_000 }] };
  const emulator = createEmulator({ seed: { ...WORLD, rows: [seeded] }, urls });
  atEnd(() => emulator.close());
  const { rows, files, attempts } = emulator.state;
  const claims = emulator.launch() as unknown;
  return {
    origin,
    requests,
    files: (): string[] => files.all().map(({ key }) => key),
    /** The members that a grade was recorded for, in their order. */
    grades: (): string[] => attempts.all().map(({ annotations }) => annotations.member),
    /** The path of a launch. */
    launch: claimsFile(claims),
    token: (claims as { api: { token: string } }).api.token,
    /** The member row. */
    row: (): string => Buffer.from(rows.body(ROW) ?? []).toString(),
    /** Resolves when the moment has come, and holds it. */
    moment: (moment: Moment): Promise<Held> =>
      waitingFor(
        `${moment.method} ${moment.target} to be ${moment.stage}`,
        new Promise((reached) => {
          awaited = { ...moment, left: moment.nth ?? 0, reached };
        }),
      ),
  };
}

export type Course = Awaited<ReturnType<typeof startCourse>>;
