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
import type { Called } from '../runtime.ts';
import { launchNamed, noteSecond } from '../session/launch.ts';
import type { Prints } from '../output/all-forms.ts';
import { countText } from '../output/units.ts';
import { widthOf } from '../output/wrap.ts';
import { readLaunchInput } from './input.ts';
import type { DECODE_FLAGS } from './flags.ts';
import type { Permit } from '../output/launch-forms.ts';

export async function runDecode(
  context: Called<typeof DECODE_FLAGS>,
  file: string | undefined,
): Prints<'launch decode'> {
  const { options } = context;
  const decoded = await decode(context, file);
  if (decoded.findings.some(({ code }) => code === 'launch.several')) await noteSecond(context);
  const header = decoded.header !== undefined && {
    header: maskClaims({ header: decoded.header }).header as DecodedLaunch['claims'],
  };
  const { kind, form, verified, claims, findings, contract } = decoded;
  return {
    json: async () => ({
      kind,
      form,
      verified,
      ...header,
      claims: maskClaims(claims),
      findings: findings.map(claimFindingJson),
      permits: permitsOf(decoded.permissions),
      contract,
    }),
    show: {
      drawn: (output) => {
        const explained = explainClaims(claims, { now: context.now() });
        const view = { width: widthOf(output), colors: output.colors };
        const shown = { ...decoded, ...header };
        return `${decodedText(shown, launchVerdict(decoded), explained, view)}\n`;
      },
    },
    exit: options.exitCode ? errorOf(findings) : undefined,
  };
}

/** Implements `--exit-code`: 3 if the launch has an error, which is printed too. */
function errorOf(findings: readonly Finding[]): ExitError | undefined {
  const errors = findings.filter(isError);
  if (errors.length === 0) return undefined;
  const message = `the launch has ${countText(errors.length, 'error')}`;
  return new ExitError(EXIT.invalid, errors[0]?.code ?? 'invalid', message);
}

async function decode(
  context: Called<typeof DECODE_FLAGS>,
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
