import type { Command } from 'commander';
import { explainClaims, maskClaims } from '../../../validator/claims-explained.ts';
import { type DecodedLaunch, decodeClaims, decodeLaunch } from '../../../validator/launch.ts';
import { InvalidError } from '../../errors.ts';
import { sourceName } from '../../input.ts';
import { readCarrier } from '../../launch/ask.ts';
import { CONTRACT_HELP, contractDate } from '../../launch/contract-date.ts';
import { decodedText } from '../../output/decoded.ts';
import { findingJson } from '../../output/finding.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { launchNamed } from '../../target.ts';
import { printJson, printText } from '../../ui.ts';

interface DecodeOptions extends GlobalOptions {
  readonly showSecrets?: boolean;
  readonly contract?: string;
}

export function registerDecode(parent: Command, runtime: Runtime): void {
  parent
    .command('decode')
    .summary('explain a launch')
    .description(
      'Explain a launch: each claim, what is odd, and which commands it permits. Takes claims as JSON, a header.payload.signature token (the signature is never checked), a URL or form body that carries one, or base64; with --launch, a saved one.',
    )
    .argument('[file]', 'the launch; - or nothing is standard input')
    .option('--contract <date>', CONTRACT_HELP, contractDate)
    .option('--show-secrets', 'show tokens and signed addresses')
    .action(async (file, _options, command: Command) => {
      await runDecode(runtime, command.optsWithGlobals(), file);
    });
}

async function runDecode(
  runtime: Runtime,
  options: DecodeOptions,
  file: string | undefined,
): Promise<void> {
  const decoded = await decode(runtime, options, file);
  const hide = options.showSecrets ? (claims: DecodedLaunch['claims']) => claims : maskClaims;
  const header =
    decoded.header === undefined ? {} : { header: hide({ header: decoded.header }).header };
  if (options.json) {
    const { kind, form, verified, claims, findings, permits, contract } = decoded;
    const shown = { claims: hide(claims), findings: findings.map(findingJson), permits, contract };
    await printJson(runtime, { kind, form, verified, ...header, ...shown });
    return;
  }
  const explained = explainClaims(decoded.claims, {
    now: runtime.now(),
    showSecrets: options.showSecrets,
  });
  const width = runtime.stdout.isTerminal ? runtime.stdout.columns : undefined;
  await printText(runtime, decodedText({ ...decoded, ...header }, explained, width));
}

async function decode(
  runtime: Runtime,
  options: DecodeOptions,
  file: string | undefined,
): Promise<DecodedLaunch> {
  const how = { now: runtime.now(), contract: options.contract };
  if (file === undefined && options.launch !== undefined) {
    const { launch } = await launchNamed(runtime, options.launch);
    return { form: 'json', ...decodeClaims(launch.claims, how) };
  }
  const decoded = decodeLaunch(await readCarrier(runtime, file), how);
  if (!('fault' in decoded)) return decoded;
  throw new InvalidError(`${sourceName(file)} is no launch: ${decoded.fault}`, {
    findings: decoded.findings,
  });
}
