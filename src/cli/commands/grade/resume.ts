import type { Command } from 'commander';
import { mayCarry } from '../../../client/index.ts';
import { fillMark } from '../../../contract/index.ts';
import type { RunRecord, State } from '../../../ledger/ledger.ts';
import { CredentialError, UsageError } from '../../errors.ts';
import { findRun } from '../../grade/bulk/find-run.ts';
import {
  addSendFlags,
  type ReadingFlags,
  readingOptions,
  type SendFlags,
} from '../../grade/bulk/flags.ts';
import { fileDigestOf } from '../../grade/bulk/plan.ts';
import { sendRun } from '../../grade/bulk/run.ts';
import { gradeTarget } from '../../grade/target.ts';
import { inputPieces, sourceName } from '../../input.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import type { UsedCredential } from '../../target.ts';
import { note } from '../../ui.ts';

interface ResumeOptions extends SendFlags {
  readonly from?: string;
  readonly retryFailed?: boolean;
  readonly retryInDoubt?: boolean;
  readonly dryRun?: boolean;
}

export function registerResume(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('resume')
    .summary('go on with a run')
    .description(
      'Send the rows of a run that are not sent yet. The ledger has all that is needed; the file may be gone. A new launch or API key may be given.',
    )
    .argument('<run>', 'its number; lectern grade runs lists them')
    .option('--from <file>', 'say whether this is still the file that the run was made from')
    .option('--retry-failed', 'send those again that were recorded as failed, or refused')
    .option('--retry-in-doubt', 'send those again that are in doubt: some may be published twice')
    .option('--dry-run', 'show which rows would be sent, and send nothing');
  addSendFlags(command).action(async (run: string) => {
    await runResume(runtime, command.optsWithGlobals(), run);
  });
}

async function runResume(runtime: Runtime, options: ResumeOptions, id: string): Promise<void> {
  const run = await findRun(runtime, id);
  const credential = await credentialOf(runtime, options, run);
  const warning = await otherFile(runtime, options, run);
  if (warning !== undefined) await note(runtime, options, `warning: ${warning}`);
  const states: State[] = [
    'not-sent',
    ...(options.retryFailed ? (['failed', 'refused'] as const) : []),
    ...(options.retryInDoubt ? (['in-doubt'] as const) : []),
  ];
  const before = run.options as Pick<SendFlags, 'concurrency' | 'rate'>;
  const { concurrency = before.concurrency, rate = before.rate, limit } = options;
  if (options.dryRun) {
    const { showPart } = await import('../../grade/bulk/dry-run.ts');
    return showPart(runtime, options, run, { states, limit, warning });
  }
  await sendRun(runtime, { ...options, concurrency, rate }, run, credential, {
    states,
    limit,
    warning,
  });
}

/** The credential given now, by flag or environment; else the one the run was started with. */
async function credentialOf(
  runtime: Runtime,
  options: ResumeOptions,
  run: RunRecord,
): Promise<UsedCredential> {
  if (options.url !== undefined) throw new UsageError('a run has its own address: leave --url out');
  const { LECTERN_LAUNCH, LECTERN_TOKEN, LECTERN_API_KEY } = runtime.env;
  const before = run.options as Pick<GlobalOptions, 'launch' | 'apiKey'>;
  const isLaunchGiven = options.launch ?? (LECTERN_LAUNCH || LECTERN_TOKEN);
  const launch = options.launch ?? (isLaunchGiven ? undefined : before.launch);
  const isKeyGiven = options.apiKey ?? LECTERN_API_KEY;
  const apiKey = options.apiKey ?? (isKeyGiven || options.launch ? undefined : before.apiKey);
  const { url } = run.target;
  const { credential } = await gradeTarget(runtime, {
    ...options,
    url,
    ...(launch === undefined ? {} : { launch }),
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  if (run.credential === 'api_key' && credential.kind !== 'api_key' && !options.launch) {
    throw new CredentialError(
      'the run was started with a tool API key, and there is none now',
      'set LECTERN_API_KEY, or give --api-key NAME, or another credential with --launch NAME',
    );
  }
  mayCarry(credential, { area: 'grade', url: fillMark(url, 'member') });
  return credential;
}

/** Says that the file, if one is given, is not the one that the run was made from. */
async function otherFile(
  runtime: Runtime,
  { from }: ResumeOptions,
  run: RunRecord,
): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const reading = readingOptions(run.options as ReadingFlags);
  const pieces = inputPieces(runtime, from);
  const digest = await fileDigestOf(await runtime.ledger(), run, pieces, reading);
  if (digest === run.options.fileDigest) return undefined;
  return `${sourceName(from)} is not the file that run ${run.id} was made from; the run goes on with the rows that it has`;
}
