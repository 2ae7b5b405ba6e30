import { explainClaims, maskClaims } from '../../validator/claims-explained.ts';
import { decodeClaims, type DecodedLaunch, decodeLaunch } from '../../validator/launch.ts';
import { InvalidError } from '../../errors.ts';
import { sourceName } from '../input/read.ts';
import { decodedText } from '../output/decoded.ts';
import { findingJson } from '../output/finding.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { printJson, printText } from '../ui.ts';
import { readLaunchInput } from './input.ts';
import { permitsOf } from './permits.ts';

interface DecodeOptions extends GlobalOptions {
  readonly showSecrets?: boolean;
  readonly contract?: string;
}

export async function runDecode(
  context: Context<DecodeOptions>,
  file: string | undefined,
): Promise<void> {
  const { options } = context;
  const decoded = await decode(context, file);
  const hide = options.showSecrets ? (claims: DecodedLaunch['claims']) => claims : maskClaims;
  const header =
    decoded.header === undefined ? {} : { header: hide({ header: decoded.header }).header };
  if (options.json) {
    const { kind, form, verified, claims, findings, contract } = decoded;
    const permits = permitsOf(decoded.permissions);
    const shown = { claims: hide(claims), findings: findings.map(findingJson), permits, contract };
    await printJson(context, { kind, form, verified, ...header, ...shown });
    return;
  }
  const explained = explainClaims(decoded.claims, {
    now: context.now(),
    showSecrets: options.showSecrets,
  });
  const width = context.stdout.isTerminal ? context.stdout.columns : undefined;
  await printText(
    context,
    decodedText(
      { ...decoded, ...header, permits: permitsOf(decoded.permissions) },
      explained,
      width,
    ),
  );
}

async function decode(
  context: Context<DecodeOptions>,
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
  throw new InvalidError(`${sourceName(file)} is no launch: ${decoded.fault}`, {
    findings: decoded.findings,
  });
}
