import { mayCarry } from '../../client/index.ts';
import { fillMember } from '../../contract/index.ts';
import type { RunRecord, State } from '../../ledger/ledger.ts';
import { CredentialError } from '../errors.ts';
import { UsageError } from '../../errors.ts';
import { gradeChunks, sourceName } from '../input/read.ts';
import { type GlobalOptions, type Context, withOptions } from '../runtime.ts';
import type { UsedCredential } from '../session/credential.ts';
import { note } from '../ui.ts';
import { findRun } from './bulk/find-run.ts';
import { type ReadingFlags, readingOptions, type SendFlags } from './bulk/options.ts';
import { fileDigestOf } from '../../grades/plan.ts';
import { runAndReport } from './bulk/run.ts';
import { gradeTarget } from './target.ts';

interface ResumeOptions extends SendFlags {
  readonly from?: string;
  readonly retryFailed?: boolean;
  readonly retryInDoubt?: boolean;
  readonly dryRun?: boolean;
}

export async function runResume(context: Context<ResumeOptions>, id: string): Promise<void> {
  const { options } = context;
  const run = await findRun(context, id);
  const credential = await credentialOf(context, run);
  const warning = await fileWarning(context, run);
  if (warning !== undefined) await note(context, `warning: ${warning}`);
  const states: State[] = [
    'not_sent',
    ...(options.retryFailed ? (['failed', 'refused'] as const) : []),
    ...(options.retryInDoubt ? (['in_doubt'] as const) : []),
  ];
  const before = run.options as Pick<SendFlags, 'concurrency' | 'rate'>;
  const { concurrency = before.concurrency, rate = before.rate, limit } = options;
  if (options.dryRun) {
    const { printDryRun } = await import('./bulk/dry-run.ts');
    return printDryRun(context, run, { states, limit, warning });
  }
  await runAndReport(withOptions(context, { ...options, concurrency, rate }), run, credential, {
    states,
    limit,
    warning,
  });
}

/** The credential given now, by flag or environment; else the one the run was started with. */
async function credentialOf(
  context: Context<ResumeOptions>,
  run: RunRecord,
): Promise<UsedCredential> {
  const { options } = context;
  if (options.url !== undefined)
    throw new UsageError('--url cannot be used with resume: a run has its own URL');
  const { LECTERN_LAUNCH, LECTERN_TOKEN, LECTERN_API_KEY } = context.env;
  const before = run.options as Pick<GlobalOptions, 'launch' | 'apiKey'>;
  const isLaunchGiven = options.launch ?? (LECTERN_LAUNCH || LECTERN_TOKEN);
  const launch = options.launch ?? (isLaunchGiven ? undefined : before.launch);
  const isKeyGiven = options.apiKey ?? LECTERN_API_KEY;
  const apiKey = options.apiKey ?? (isKeyGiven || options.launch ? undefined : before.apiKey);
  const { url } = run.target;
  const { credential } = await gradeTarget(
    withOptions(context, {
      ...options,
      url,
      ...(launch === undefined ? {} : { launch }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
  );
  if (run.credential === 'api_key' && credential.kind !== 'api_key' && !options.launch) {
    throw new CredentialError(
      'the run was started with a tool API key, and none is given now',
      'set LECTERN_API_KEY, pass --api-key NAME, or use another credential with --launch NAME',
    );
  }
  mayCarry(credential, { area: 'grade', url: fillMember(url, 'member') });
  return credential;
}

/** A warning if the given file is not the one that the run was created from. */
async function fileWarning(
  context: Context<ResumeOptions>,
  run: RunRecord,
): Promise<string | undefined> {
  const { from } = context.options;
  if (from === undefined) return undefined;
  const reading = readingOptions(run.options as ReadingFlags);
  const pieces = gradeChunks(context, from);
  const digest = await fileDigestOf(await context.ledger(), run, pieces, reading);
  if (digest === run.options.fileDigest) return undefined;
  return `${sourceName(from)} is not the file that run ${run.id} was created from; the run continues with its stored grades`;
}
