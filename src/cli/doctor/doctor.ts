import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import type { Context, Machine, Runtime } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { checkState, failed, ok, runCheck } from './state.ts';
import type { CheckResult } from '../json-forms/others.ts';
import { type Colors, paint, toneOf } from '../output/paint.ts';
import { escapeText } from '../output/escape.ts';
import { type Table, listTable } from '../output/table.ts';
import { wrapLines } from '../output/wrap.ts';

export async function runDoctor(context: Context): Promise<void> {
  const checkups = [...(await checkMachine(context, __VERSION__)), ...(await checkState(context))];
  const failures = checkups.filter(({ state }) => state === 'wrong');
  const { stdout } = context;
  if (context.options.json)
    await printJson<'doctor'>(context, { ok: failures.length === 0, checkups });
  else if (stdout.isTerminal)
    await stdout.write(`${doctorText(checkups, stdout.columns, stdout.colors)}\n`);
  else await printTable(context, doctorTable(checkups));
  if (failures.length === 0) return;
  const names = failures.map(({ name }) => name).join(', ');
  throw new ExitError(EXIT.unexpected, 'doctor', `failed checks: ${names}`);
}

/** All checks, one per table row. */
function doctorTable(checkups: readonly CheckResult[]): Table {
  return listTable(checkups, [
    { name: 'check', cell: ({ name }) => name },
    { name: 'state', cell: ({ state }) => state },
    {
      name: 'detail',
      cell: ({ detail, hint }) => (hint === null ? detail : `${detail}; ${hint}`),
    },
  ]);
}

/** The same for a terminal, where paths and hints are not cut to the width of a column. */
function doctorText(checkups: readonly CheckResult[], width: number, colors: Colors): string {
  const lines = checkups.flatMap(({ name, state, detail, hint }) => {
    const texts = [`${name}: ${detail}`, ...(hint === null ? [] : [hint])].map(escapeText);
    const fitting = wrapLines(texts, width - STATE_WIDTH);
    return fitting.map((line, index) =>
      index === 0
        ? paint(colors, toneOf(state), state) + ' '.repeat(STATE_WIDTH - state.length) + line
        : ' '.repeat(STATE_WIDTH) + line,
    );
  });
  return lines.join('\n');
}

const STATE_WIDTH = 'warning  '.length;

/** The program, what it runs on, and how it reaches the network. */
async function checkMachine(runtime: Runtime, version: string): Promise<CheckResult[]> {
  const machine = await runtime.machine();
  return [
    ok('lectern', version),
    checkNode(machine),
    ok('platform', machine.platform),
    checkProxies(runtime),
    await checkCertificates(runtime, machine),
    checkTls(runtime),
    ...checkSecretsOfEnvironment(runtime),
  ];
}

/** The versions of Node that the tests run on, as in `engines` of package.json. */
function checkNode({ node }: Machine): CheckResult {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  return fits ? ok('node', node) : failed('node', node, 'use Node 20.19, 22.13, 24 or later');
}

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

function checkProxies({ env }: Runtime): CheckResult {
  const set = PROXIES.filter((name) => env[name]);
  if (set.length === 0) return ok('proxy', 'none: HTTPS_PROXY and HTTP_PROXY are not set');
  const shown = set.map((name) => `${name}=${withoutPassword(env[name] as string)}`);
  return ok('proxy', [...shown, `NO_PROXY=${env.NO_PROXY ?? env.no_proxy ?? ''}`].join(', '));
}

/**
 * Everything before the last `@` may belong to the password: an address is often written without
 * its scheme.
 */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1…@');
}

function checkCertificates({ env }: Runtime, machine: Machine): Promise<CheckResult> {
  const name = 'certificates';
  const file = env.NODE_EXTRA_CA_CERTS;
  return runCheck(name, async () => {
    if (!file) return ok(name, "Node's own; NODE_EXTRA_CA_CERTS is not set");
    const hint = 'NODE_EXTRA_CA_CERTS must name a readable file of PEM certificates';
    const count = await machine.countCertificates(file).catch(() => undefined);
    if (count === undefined) return failed(name, `${file} cannot be read`, hint);
    if (count === 0) return failed(name, `${file} contains no certificate`, hint);
    return ok(name, `Node's own, and ${count} from NODE_EXTRA_CA_CERTS=${file}`);
  });
}

function checkTls({ env }: Runtime): CheckResult {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return ok('tls', 'certificates are verified');
  return failed(
    'tls',
    'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not verified, so tokens can be intercepted',
    'unset it, and add the certificates with NODE_EXTRA_CA_CERTS',
  );
}

/** Only that they are set: a value might be a secret. */
function checkSecretsOfEnvironment({ env }: Runtime): CheckResult[] {
  return ['LECTERN_TOKEN', 'LECTERN_API_KEY', 'LECTERN_LAUNCH', 'LECTERN_EMULATOR']
    .filter((name) => env[name])
    .map((name) => ok(name, 'is set in the environment and overrides saved values'));
}
