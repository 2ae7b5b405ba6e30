import { explainClaims, maskClaims } from '../../validator/claims-explained.ts';
import { launchVerdict } from '../../validator/launch/verdict.ts';
import {
  type Action,
  type DecodedLaunch,
  type Permission,
  decodeClaims,
  decodeLaunch,
} from '../../validator/launch.ts';
import { type Finding, isError } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { sourceName } from '../input/read.ts';
import { decodedText } from '../output/launch.ts';
import { claimFindingJson } from '../output/command-hints.ts';
import type { Context } from '../runtime.ts';
import { launchNamed, noteSecond } from '../session/launch.ts';
import { printJson } from '../output/print.ts';
import { readLaunchInput } from './input.ts';
import type { LaunchDecodeOptions } from './flags.ts';
import type { Permit } from '../output/launch-forms.ts';

export async function runDecode(
  context: Context<LaunchDecodeOptions>,
  file: string | undefined,
): Promise<void> {
  const { options } = context;
  const decoded = await decode(context, file);
  if (decoded.findings.some(({ code }) => code === 'launch.several')) await noteSecond(context);
  const hide = options.showSecrets ? (claims: DecodedLaunch['claims']) => claims : maskClaims;
  const header =
    decoded.header === undefined
      ? {}
      : { header: hide({ header: decoded.header }).header as DecodedLaunch['claims'] };
  if (options.json) {
    const { kind, form, verified, claims, findings, contract } = decoded;
    const permits = permitsOf(decoded.permissions);
    const shown = {
      claims: hide(claims),
      findings: findings.map(claimFindingJson),
      permits,
      contract,
    };
    await printJson<'launch decode'>(context, { kind, form, verified, ...header, ...shown });
    refuseErrors(options, findings);
    return;
  }
  const explained = explainClaims(decoded.claims, {
    now: context.now(),
    showSecrets: options.showSecrets,
  });
  const { isTerminal, columns, colors } = context.stdout;
  const view = { width: isTerminal ? columns : undefined, colors };
  const verdict = launchVerdict(decoded);
  const text = decodedText({ ...decoded, ...header }, verdict, explained, view);
  await context.stdout.write(`${text}\n`);
  refuseErrors(options, decoded.findings);
}

/** Implements `--exit-code`: 3 if the launch has an error, which was printed already. */
function refuseErrors({ exitCode }: LaunchDecodeOptions, findings: readonly Finding[]): void {
  const errors = findings.filter(isError);
  if (!exitCode || errors.length === 0) return;
  const message = `the launch has ${errors.length} error${errors.length === 1 ? '' : 's'}`;
  throw new ExitError(EXIT.invalid, errors[0]?.code ?? 'invalid', message);
}

async function decode(
  context: Context<LaunchDecodeOptions>,
  file: string | undefined,
): Promise<DecodedLaunch> {
  const { options } = context;
  const how = { now: context.now(), contract: options.contract };
  if (file === undefined && options.launch !== undefined) {
    const { launch } = await launchNamed(context, options.launch);
    return { form: 'json', ...decodeClaims(launch.claims, how) };
  }
  const decoded = decodeLaunch(await readLaunchInput(context, file), how);
  if (!('fault' in decoded)) return decoded;
  const [finding] = decoded.findings;
  throw new InvalidError(`${sourceName(file)} is not a launch: ${decoded.fault}`, {
    code: finding?.code ?? 'launch.unreadable',
    ...(finding && { hint: finding.hint }),
  });
}

/** The commands that need an action; ROW is a placeholder. `undo` and `copy` write. */
const COMMANDS: Readonly<Record<Action, readonly string[]>> = {
  read_row: ['storage get ROW', 'storage diff ROW', 'storage size ROW', 'storage watch ROW'],
  write_row: [
    'storage put ROW',
    'storage patch ROW',
    'storage edit ROW',
    'storage undo ROW',
    'storage copy FROM ROW',
  ],
  read_files: ['files ls ROW', 'files stat ROW', 'files download ROW', 'files sync ROW DIR'],
  write_files: ['files upload ROW', 'files rm ROW', 'files sync DIR ROW'],
  submit_own_grade: ['grade submit'],
  submit_other_grade: ['grade submit --member', 'grade submit --from', 'grade resume'],
  submit_with_api_key: ['grade submit --api-key'],
  provision: ['provision ROW'],
  check: ['launch check'],
};

/** The permissions of a launch, by command. */
export function permitsOf(permissions: readonly Permission[]): Permit[] {
  return permissions.flatMap(({ action, row = '', allowed, reason }) =>
    COMMANDS[action].map((command) => ({ command: command.replace('ROW', row), allowed, reason })),
  );
}
