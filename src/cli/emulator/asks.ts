import { buffer } from 'node:stream/consumers';
import { InvalidError, UsageError } from '../../errors.ts';
import { FAULT_KINDS, FAULT_NAMES, kindsOf } from '../../fault-kinds.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { CredentialError, ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { readInput } from '../input/read.ts';
import { saveKey } from '../key/save.ts';
import { stateTables } from '../output/emulator.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { RawJson, type Result } from '../output/result.ts';
import { type Called, type Context, type Output, withOptions } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { control, controlBytes } from './control.ts';
import { findEmulators } from './find.ts';
import type {
  FAULT_FLAGS,
  EMULATOR_KEY_FLAGS,
  LOCATIONS_REQUEST_FLAGS,
  ROW_FLAGS,
  TOKEN_END_FLAGS,
} from './flags.ts';
import { listResult } from './request.ts';

/** Adds a fault: one to answers, or the lasting one of a host that is out of reach. */
export async function runFault(context: Called<typeof FAULT_FLAGS>): Promise<Result> {
  const { method, path, times, status, header, body, close, cut, delay, offline } = context.options;
  if (offline) {
    const asked = { method, path: path ?? '.', close: 'before', lasts: true } as const;
    return listResult(context, 'faults', await control(context, 'POST fault', asked));
  }
  if (path === undefined)
    throw new UsageError('--path is required', 'use --path . to match all requests');
  const effect = { status, close, cut, delay_ms: delay };
  const kinds = kindsOf(effect).length;
  if (kinds !== 1) {
    const problem =
      kinds === 0 ? 'no fault given' : 'only one fault can be injected into a response';
    const flags = FAULT_NAMES.map((kind) => FAULT_KINDS[kind].flag.split(' ')[0]);
    throw new UsageError(problem, `use one of ${flags.join(', ')}, --offline`);
  }
  if (status === undefined && (header !== undefined || body !== undefined)) {
    throw new UsageError('--header and --body require --status');
  }
  const asked = { method, path, times, ...effect, headers: headersOf(header), body };
  return listResult(context, 'faults', await control(context, 'POST fault', asked));
}

function headersOf(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const entries = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}

/** Prints the API key of a tool, which is not secret in an emulator, or saves it under a name. */
export async function runKey(context: Called<typeof EMULATOR_KEY_FLAGS>): Promise<Result> {
  const { tool, save: name, force } = context.options;
  const key = await control(context, 'POST key', { tool });
  if (name === undefined) return { json: key, show: key.api_key };
  return saveKey(context, { name, origin: key.origin, secret: key.api_key }, force);
}

/** Asks a tool for its locations as the service does, and shows what the service finds wrong. */
export async function runLocationsRequest(
  context: Called<typeof LOCATIONS_REQUEST_FLAGS>,
): Promise<Result> {
  const { tool, course } = context.options;
  const asked = await control(context, 'POST locations-request', { tool, course });
  const { answer, findings, error } = asked;
  const shown = { json: asked, ...(answer !== null && { show: { json: answer } }) };
  if (error !== null) {
    const message = `tool ${asked.tool}: ${error}`;
    const exit = new ExitError(EXIT.unreachable, 'locations.no_answer', message);
    return { ...shown, exit };
  }
  const notes = findings.map(({ severity, message, hint }) => `${severity}: ${message}; ${hint}`);
  const worst = findings.find(({ severity }) => severity === 'error');
  const exit = worst && new InvalidError('the service rejects that answer', { code: worst.code });
  return { ...shown, notes, exit };
}

/** Shows a row, one of its versions or their list, or writes the row. */
export async function runRow(context: Called<typeof ROW_FLAGS>, row: string): Promise<Result> {
  const { versions, versionNumber, put } = context.options;
  if (put !== undefined) return putRow(context, row, put);
  if (versions)
    return listResult(context, 'versions', await control(context, 'GET row/versions', { row }));
  const bytes = await buffer(controlBytes(context, 'GET row', { row, version: versionNumber }));
  return { json: new RawJson(bytes.toString()), show: { raw: bytes } };
}

async function putRow(context: Context, row: string, file: string): Promise<Result> {
  const { bytes: body } = await readInput(context, file, 'the row');
  const done = await control(context, 'POST row', { row }, { type: 'application/json', body });
  return { json: done, notes: [`wrote ${done.bytes} bytes to ${done.row}`] };
}

/** An empty line on a terminal. */
const GAP = { drawn: ({ isTerminal }: Output) => (isTerminal ? '\n' : '') };

/** Shows the counts of everything, and then each list. */
export async function runState(context: Context<LimitOptions>): Promise<Result> {
  const state = await control(context, 'GET state');
  const [counts, ...lists] = stateTables(state).filter(({ rows }) => rows.length > 0);
  const latest = lists.flatMap((table) => [
    GAP,
    { ...table, rows: table.rows.slice(-shownLimit(context)) },
  ]);
  const shown = counts && [counts, ...latest];
  const notes = lists.flatMap(({ rows }) => moreText(context, rows.length));
  return { json: state, show: shown, notes };
}

/** Ends the token of a launch: one that is saved here, or one that is named by its id. */
export async function runTokenEnd(
  context: Called<typeof TOKEN_END_FLAGS>,
  name: string | undefined,
): Promise<Result> {
  const { launchId } = context.options;
  if ((name === undefined) === (launchId === undefined)) {
    throw new UsageError('name one launch', 'give a saved launch or a file, or --launch-id ID');
  }
  const done =
    name === undefined
      ? await control(context, 'POST token/end', { launch_id: launchId })
      : await endSaved(context, name);
  const note = done.ended === 0 ? 'the token had already ended' : 'the token has ended';
  return { json: done, notes: [note] };
}

async function endSaved(context: Context, name: string) {
  const { launch, origin } = await launchNamed(context, name);
  const { token } = launch;
  if (token === undefined) throw new CredentialError('missing', `launch ${name} has no api.token`);
  const issuer = (await findEmulators(context)).find(
    ({ url, record }) => (record?.public_url ?? url) === origin,
  );
  if (issuer === undefined) {
    throw new CredentialError(
      'other_origin',
      `launch ${name} is not from this emulator but from ${origin ?? 'an unknown service'}`,
      'its token is only sent to its own service; select its emulator with --emulator URL',
    );
  }
  const atIssuer = withOptions(context, { ...context.options, emulator: issuer.url });
  return control(atIssuer, 'POST token/end', { token });
}
