import * as s from '../../schema/schema.ts';
import type { PlainRequest, Reply } from '../http/messages.ts';
import type { Target } from '../service/addresses.ts';

/** A request and its response, without bodies and secrets. */
export const EXCHANGE = {
  number: s.described(s.count, 'counts from 1, over restarts too'),
  time: s.described(s.instant, "when it was answered, by the emulator's clock"),
  started: s.described(s.instant, "when it came, by the machine's clock"),
  origin: s.described(s.oneOf('api', 'blobs'), 'blobs: the origin of the signed addresses'),
  method: s.text,
  path: s.described(s.text, 'path and query; signatures and tokens are redacted'),
  about: s.described(
    s.nullable(s.text),
    'what was called, such as member row or grade; null for other addresses',
  ),
  member: s.described(s.nullable(s.text), 'the member whose row, files or grade it was'),
  member_name: s.described(s.text, "'' where there is none"),
  credential: s.described(
    s.oneOf('launch_token', 'provision_token', 'api_key', 'unknown', null),
    'the kind of the bearer token; null if there was none',
  ),
  launch_id: s.nullable(s.text),
  caller: s.described(s.nullable(s.text), 'the member whose launch made the call'),
  caller_name: s.described(s.text, "'' where there is none"),
  by_lectern: s.described(s.bool, 'whether a command of lectern made the call, not a tool'),
  status: s.described(
    s.nullable(s.httpStatus),
    'null if the connection was closed without a response',
  ),
  bytes: s.count,
  ms: s.anyNumber,
  error: s.described(s.nullable(s.text), 'the message of an error response'),
  failure: s.described(s.nullable(s.text), 'why the attempt failed that a 200 answered'),
  fault: s.described(
    s.oneOf('status', 'close', 'cut', 'delay', null),
    'the effect of the injected fault, if there was one',
  ),
};
const SHOWN = s.object(EXCHANGE);
export type Exchange = s.Static<typeof SHOWN>;

/** What an address is for; `signed` on the origin of the signed URLs. */
export type AddressKind = Target['kind'] | 'signed' | 'unknown';

export function placeOf(
  { origin }: Pick<PlainRequest, 'origin'>,
  target: Target | undefined,
): AddressKind {
  if (origin === 'blobs') return 'signed';
  // A slash without a key makes no address of a file.
  if (target === undefined || (target.kind === 'file' && target.key === '')) return 'unknown';
  return target.kind;
}

/** What a request calls, such as `member row`; null for an address of no launch. */
export function aboutOf(target: Target | undefined): string | null {
  if (target === undefined) return null;
  if (target.kind === 'provision') return `${target.location ? 'location' : 'context'} provision`;
  return 'row' in target ? `${target.row.kind} ${target.kind}` : target.kind;
}

/** The message of the error envelope, or else its code. */
export function errorTextOf({ body }: Reply): string | null {
  if (typeof body !== 'string') return null;
  try {
    const { error } = JSON.parse(body) as { error?: { code?: string; message?: string } };
    return error?.message ?? error?.code ?? null;
  } catch {
    return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? null;
  }
}
