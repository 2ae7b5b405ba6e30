import { checkCredentialUse } from '../../client/index.ts';
import { fillMember } from '../../contract/index.ts';
import type { RunRecord } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { CredentialError } from '../errors.ts';
import { type Context, withOptions } from '../runtime.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import type { UsedCredential } from '../session/credential.ts';
import { gradeTarget } from './target.ts';

/** The credential given now, by flag or environment; else the one the run was started with. */
export async function credentialOfRun(context: Context, run: RunRecord): Promise<UsedCredential> {
  const { options } = context;
  if (options.url !== undefined)
    throw new UsageError('--url cannot be used here: a run has its own URL');
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
  checkCredentialUse(credential, { area: 'grade', url: fillMember(url, 'member') });
  return credential;
}
