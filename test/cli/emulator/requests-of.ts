import { eventsAsCommands } from '../../../src/cli/output/command-hints.ts';
import { type Code, CODES, exampleOf } from '../../../src/contract/index.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Claims } from '../../emulator/documents.ts';
import { type Answer, formOf, send } from '../../emulator/wire.ts';
import type { emulated } from './running.ts';

/** The tools of the `request.…` codes: what each code is found in, and the same job by the contract. */
export const REQUEST_SCRIPTS = (Object.keys(CODES) as Code[])
  .filter((code) => code.startsWith('request.'))
  .map((code) => {
    const example = exampleOf(code);
    if (example.kind !== 'requests') throw new Error(`${code} has no requests as its example`);
    const { does, instead } = example;
    return {
      code,
      does: does.map((line) => eventsAsCommands(line)),
      instead: instead.map((line) => eventsAsCommands(line)),
    };
  });

type Emulated = Awaited<ReturnType<typeof emulated>>;

/** The launches of a script's callers. */
const LAUNCHES: Readonly<Record<string, string>> = {
  student: 'emulator launch --role student',
  staff: 'emulator launch --role instructor',
  other: 'emulator launch --role assistant',
  copy: 'emulator provision-request',
};

interface Form {
  readonly url: string;
  readonly fields: Record<string, string>;
}

const CALL =
  /^(?:(?<who>\w+): )?(?<method>[A-Z]+) (?<address>\S+)(?: with (?<to>\S+) for (?<from>\S+))?(?<key> with the API key)?(?: (?<body>\{.*\}))?(?: of (?<bytes>\d+) bytes)?(?<untyped> without its Content-Type)?$/;
const POST_FORM = /^POST the form with "(?<text>.*?)"(?<bearer> and the bearer token)?$/;

/** Makes the requests of a script, a line each, as `REQUEST_SCRIPTS` has them. */
export async function runScript({ run, json }: Emulated, lines: readonly string[]): Promise<void> {
  const launches = new Map<string, Claims>();
  const launched = async (who: string): Promise<Claims> => {
    const claims = launches.get(who) ?? (await json<Claims>(LAUNCHES[who] as string));
    launches.set(who, claims);
    return claims;
  };
  // Before the clock is moved.
  await launched('student');
  let form: Form | undefined;
  for (const line of lines) {
    if (line.startsWith('lectern ')) {
      const { exit, stderr } = await run(line.split(' ').slice(1));
      if (exit !== 0) throw new Error(`${line}: ${stderr}`);
      continue;
    }
    const posted = POST_FORM.exec(line)?.groups;
    const student = await launched('student');
    if (posted !== undefined && form !== undefined) {
      await postForm(form, posted.text ?? '', posted.bearer && student.api.token);
      continue;
    }
    const call = CALL.exec(line)?.groups;
    if (call === undefined) throw new Error(`not understood: ${line}`);
    const claims = await launched(call.who ?? 'student');
    const token = call.key
      ? (await json<Answers['POST key']>('emulator key')).api_key
      : claims.api.token;
    const answer = await made(call, claims, token).catch(() => undefined);
    if (call.method === 'PUT' && answer?.status === 200) form = answer.json<Form>();
  }
}

function postForm(form: Form, text: string, token: string | undefined): Promise<Answer> {
  const { body, headers } = formOf(form.fields, text);
  return send('POST', form.url, { body, headers, token });
}

function made(
  call: Readonly<Record<string, string | undefined>>,
  claims: Claims,
  token: string,
): Promise<Answer> {
  const { method = '', address = '', from = '', to = '', body, bytes = '0', untyped } = call;
  const url = urlOf(claims, address).replace(from, to);
  const long = body?.replace('…', 'x'.repeat(Number(bytes)));
  const headers = untyped === undefined ? { 'content-type': 'application/json' } : {};
  return send(method, url, { token, headers, ...(long !== undefined && { body: long }) });
}

/** The URL of a claim, with what follows it; an address that no claim has stays unchanged. */
function urlOf(claims: Claims, address: string): string {
  if (address.startsWith('/')) {
    const path = address.replace('TOKEN', claims.api.token);
    return new URL(claims.storage.context ?? '').origin + path;
  }
  const [path = '', key] = address.split('/');
  let value: unknown = claims;
  for (const name of path.split('.')) value = (value as Record<string, unknown>)[name];
  return key === undefined ? String(value) : `${String(value)}/${key}`;
}
