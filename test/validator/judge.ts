/** The emulator as the judge of what the validator says: both are asked about the same body. */
import { expect } from 'vitest';
import type { RowKind } from '../../src/contract/index.ts';
import { createEmulator, CONTROL_PREFIX } from '../../src/emulator/index.ts';
import {
  type Finding,
  type Payload,
  validateDeclaration,
  validateGrade,
  validatePatch,
  validateRow,
} from '../../src/validator/index.ts';

export const emulator = createEmulator({ controlToken: 'control' });
/** The number of bodies that the emulator accepted and refused, of all files of a worker. */
export const seen = { accepted: 0, refused: 0 };

interface Claims {
  readonly api: { readonly token: string };
  readonly storage: Record<RowKind, string>;
  readonly files: Record<RowKind, string>;
  readonly grade: { readonly submit: string };
  readonly provision: { readonly context: string };
}

/** Asks the control side of the emulator for something. */
export async function make(operation: string, request: object): Promise<unknown> {
  const body = new TextEncoder().encode(JSON.stringify(request));
  return (await send('POST', `${CONTROL_PREFIX}${operation}`, 'control', body)).body;
}

/** A launch of the emulator, with its course row provisioned. */
const claims = await (async (): Promise<Claims> => {
  const { claims: made } = (await make('launch', { role: 'instructor' })) as { claims: Claims };
  await send('PUT', pathOf(made.provision.context), made.api.token, new Uint8Array());
  return made;
})();

async function send(
  method: string,
  target: string,
  token: string,
  body: Uint8Array,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await emulator.handle({ method, target, headers, body, origin: 'api' });
  const text = typeof reply.body === 'string' ? reply.body : '';
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '');
}

/** What the emulator says: the code of its refusal, or undefined when it takes the body. */
async function refusalOf(
  method: string,
  url: string,
  payload: Payload,
): Promise<string | undefined> {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload;
  const answer = await send(method, pathOf(url), claims.api.token, bytes);
  const isAccepted = answer.status < 300;
  seen[isAccepted ? 'accepted' : 'refused'] += 1;
  if (isAccepted) return undefined;
  expect(answer.status).toBe(422);
  return (answer.body as { error: { code: string } }).error.code;
}

/** An error is a refusal with the same code; a payload without findings is accepted. */
function expectAgreement(findings: readonly Finding[], refusal: string | undefined): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const codes = findings.map(({ code }) => code as string);
  if (errors.length > 0) expect(codes).toContain(refusal ?? '(accepted)');
  else if (findings.length === 0) expect(refusal).toBeUndefined();
  else if (refusal !== undefined) expect(codes).toContain(refusal);
}

/** Asks both about a row; resolves with the refusal. */
export async function agreeOnRow(payload: Payload, kind: RowKind): Promise<string | undefined> {
  const refusal = await refusalOf('PUT', claims.storage[kind], payload);
  expectAgreement(validateRow(payload, { kind }), refusal);
  return refusal;
}

/** Asks both about a patch of the row `against`. */
export async function agreeOnPatch(payload: Payload, against: string): Promise<string | undefined> {
  await refusalOf('PUT', claims.storage.member, against);
  const refusal = await refusalOf('PATCH', claims.storage.member, payload);
  expectAgreement(validatePatch(payload, { kind: 'member', against }), refusal);
  return refusal;
}

/** Asks both about the declaration of a file under a key. */
export async function agreeOnFile(payload: Payload, key: string): Promise<string | undefined> {
  const [path = '', query = ''] = claims.files.member.split('?');
  const url = `${path}/${encodeURIComponent(key)}${query === '' ? '' : `?${query}`}`;
  const refusal = await refusalOf('PUT', url, payload);
  expectAgreement(validateDeclaration(payload, { key, kind: 'member', listing: '[]' }), refusal);
  return refusal;
}

/** Asks both about a grade submission. */
export async function agreeOnGrade(payload: Payload): Promise<string | undefined> {
  const refusal = await refusalOf('POST', claims.grade.submit, payload);
  expectAgreement(validateGrade(payload), refusal);
  return refusal;
}

/** Every kind of body that the emulator judges: asked about as it is, or with it somewhere inside. */
export const JUDGED: readonly {
  readonly name: string;
  readonly agree: (payload: Payload) => Promise<string | undefined>;
  /** A right body around a value. */
  readonly around: (value: string) => string;
}[] = [
  {
    name: 'row',
    agree: (payload) => agreeOnRow(payload, 'context'),
    around: (value) => `{"a":${value}}`,
  },
  {
    name: 'patch',
    agree: (payload) => agreeOnPatch(payload, '{"a":1}'),
    around: (value) => `{"patch":[{"op":"add","path":"/b","value":${value}}]}`,
  },
  {
    name: 'file declaration',
    agree: (payload) => agreeOnFile(payload, 'a'),
    around: (value) => `{"size":1,"more":${value}}`,
  },
  {
    name: 'grade',
    agree: agreeOnGrade,
    around: (value) => `{"score":1,"more":${value}}`,
  },
];
