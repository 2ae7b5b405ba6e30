import { checkRowSize, explainViolation, violation } from '../../contract/index.ts';
import { FAULT_NAMES, type FaultKind } from '../../fault-kinds.ts';
import {
  discard,
  drain,
  HttpError,
  type PlainRequest,
  type Reply,
  sizeOf,
} from '../http/messages.ts';
import { compactJson, type JsonObject, parseJson } from '../../json/index.ts';
import type { Call, Answered, Facts } from '../service/call.ts';
import { readFormKey } from '../service/files/upload-form.ts';
import { writtenError } from '../service/reply.ts';
import type { EmulatedRow } from '../state/row-table.ts';
import type { EmulatorState } from '../state/state.ts';

/** Something that goes wrong on purpose with one request. */
export type Trouble =
  | Injected
  /** The launch token ends before the call. */
  | { readonly kind: 'ended' }
  /** The tool is suspended for this call. */
  | { readonly kind: 'suspended' }
  /** The LMS refuses the score. */
  | { readonly kind: 'refused' }
  /** After a row was read, another session writes to it. */
  | { readonly kind: 'changed' };

/** The kinds that `emulator fault` can inject, by `FAULT_KINDS`; chaos can cause the rest as well. */
export type Injected =
  /** Another response; the request has no effect. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  /** No response: before the request takes effect, or after. */
  | { readonly kind: 'close'; readonly when: 'before' | 'after' }
  /** The request takes effect; half of the body is sent. */
  | { readonly kind: 'cut' }
  /** The request takes effect; the response is sent `ms` later. */
  | { readonly kind: 'delay'; readonly ms: number };

const NO_REPLY: Reply = { status: 0, headers: {}, body: null, cutAfterBytes: 0 };

/** Answers a call that meets a trouble; `serve` lets the service answer. */
export async function answerWith(
  trouble: Trouble,
  state: EmulatorState,
  call: Call,
  serve: (call: Call) => Promise<Answered>,
): Promise<Answered> {
  const { request, caller } = call;
  switch (trouble.kind) {
    case 'status': {
      const facts = await readPrevented(state, request);
      const { status, headers, body } = trouble;
      return { reply: { status, headers, body }, facts };
    }
    case 'close': {
      if (trouble.when === 'before')
        return { reply: NO_REPLY, facts: await readPrevented(state, request) };
      const { reply, facts } = await serve(call);
      discard(reply);
      return { reply: NO_REPLY, facts };
    }
    case 'cut': {
      const { reply, facts } = await serve(call);
      return { reply: { ...reply, cutAfterBytes: sizeOf(reply) >> 1 }, facts };
    }
    case 'delay': {
      const answered = await serve(call);
      await state.delays.wait(trouble.ms, request.signal?.());
      return answered;
    }
    case 'ended': {
      const launch = caller.token?.launch_id;
      state.tokens.end('membership changed', 'launch_id = ?', [launch ?? '']);
      const token = state.tokens.get(caller.token?.token ?? '');
      return serve({ ...call, caller: { ...caller, ...(token && { token }) } });
    }
    case 'suspended': {
      const facts = await readPrevented(state, request);
      const code = 'auth.suspended';
      const { message, status = 401 } = explainViolation(violation(code, ''));
      return { reply: writtenError(state, new HttpError(status, code, message)), facts };
    }
    case 'refused':
      return serve({ ...call, isScoreRefused: true });
    case 'changed':
      return serve(call);
  }
}

/** Reads a request that does not reach the service to its end. */
async function readPrevented(state: EmulatorState, request: PlainRequest): Promise<Facts> {
  if (request.origin === 'blobs') return { preventedUpload: await readFormKey(state, request) };
  await drain(request);
  return {};
}

/** Whether a request reaches the service in spite of a trouble. */
export function isProcessed(trouble: Trouble | undefined): boolean {
  if (trouble?.kind === 'close') return trouble.when === 'after';
  return trouble?.kind !== 'status' && trouble?.kind !== 'suspended';
}

/** The kind as the traffic shows it; null for kinds that only chaos causes. */
export function faultOf(trouble: Trouble | undefined): FaultKind | null {
  return FAULT_NAMES.find((kind) => kind === trouble?.kind) ?? null;
}

const NAME = 'written_by_another_session';
/**
 * With this many names the oldest one is changed instead, so that a row that is read all day stays
 * small.
 */
const MAX_NAMES = 10;

/**
 * Adds a name to a row, or changes its value, as staff or another part of the tool may do at any
 * time. Returns the name; undefined if the row has no room for it.
 */
export function writeAsAnotherSession(
  { rows }: EmulatorState,
  target: EmulatedRow,
): string | undefined {
  const { key, kind } = target;
  const before = rows.body(key);
  const text = before === undefined ? '{}' : new TextDecoder().decode(before);
  const row = parseJson(text).value as JsonObject;
  const own = [...row.keys()].filter((each) => each.startsWith(NAME));
  const name = own.length < MAX_NAMES ? `${NAME}_${own.length + 1}` : (own[0] as string);
  // The changed name becomes the last one.
  const others = [...row].filter(([each]) => each !== name);
  const after = Buffer.from(compactJson(new Map([...others, [name, row.get(name) !== true]])));
  if (checkRowSize(kind, after.length).length > 0) return undefined;
  rows.write(target, after, 'chaos');
  return name;
}
