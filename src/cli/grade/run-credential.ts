import {
  type Caller,
  callerText,
  checkCredentialUse,
  CredentialMisuse,
} from '../../client/index.ts';
import { fillMember, originOf } from '../../contract/index.ts';
import type { RunRecord } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { CredentialError, ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type Context, withOptions } from '../runtime.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import type { UsedCredential } from '../session/credential.ts';
import { gradeLedger } from '../session/ledger.ts';
import { gradeTarget } from './target.ts';

/** The credential of a flag or the environment; else the one the run was started with. */
export async function credentialOfRun(
  context: Context,
  run: RunRecord,
  verb: 'resume' | 'work',
): Promise<UsedCredential> {
  try {
    return await credentialFor(context, run);
  } catch (error) {
    if (!(error instanceof CredentialMisuse) || error.caller === undefined) throw error;
    throw error.code === 'other_origin' ? otherService(run, verb, error.caller) : error;
  }
}

/** The launch or key is sound, but of another service than the run. */
function otherService({ id, target }: RunRecord, verb: string, caller: Caller): CredentialMisuse {
  const service = originOf(target.url);
  const isKey = caller.kind === 'api_key';
  const message = `run ${id} was planned for ${service}; ${callerText(caller) ?? 'the credential'} is of ${caller.origin}`;
  const command = `lectern grade ${verb} ${id} ${isKey ? '-k' : '-l'} NAME`;
  const hint = `use a ${isKey ? 'key' : 'launch'} of ${service}: ${command}`;
  return new CredentialMisuse('other_origin', message, hint, caller);
}

async function credentialFor(context: Context, run: RunRecord): Promise<UsedCredential> {
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
  const { credential, onlyMember } = await gradeTarget(
    withOptions(context, {
      ...options,
      url,
      ...(launch === undefined ? {} : { launch }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }),
  );
  if (run.credential === 'api_key' && credential.kind !== 'api_key' && !options.launch) {
    throw new CredentialError(
      'the run was started with a tool API key, but none is given now',
      'set LECTERN_API_KEY, pass --api-key NAME, or use another credential with --launch NAME',
    );
  }
  checkCredentialUse(credential, { area: 'grade', url: fillMember(url, 'member') });
  if (onlyMember !== undefined) await refuseStudent(context, run, credential, onlyMember);
  return credential;
}

/**
 * Refuses a student's token for a run that staff planned: "a student's token aimed at anyone else is
 * 403", which would use up the records as refused.
 */
async function refuseStudent(
  context: Context,
  { id, options }: RunRecord,
  { name }: UsedCredential,
  member: string,
): Promise<void> {
  if (options.staff !== true) return;
  const states = ['not_sent', 'failed', 'refused', 'in_doubt'] as const;
  for await (const row of (await gradeLedger(context)).rows(id, { states })) {
    if (row.member === member) continue;
    throw new ExitError(
      EXIT.forbidden,
      'auth.not_this_member',
      `launch ${name} is a student's: its token submits grades of ${member} only, and run ${id} has other members; nothing was sent`,
      {
        hint: 'pass a launch of course staff with --launch NAME, or a tool API key with --api-key NAME',
      },
    );
  }
}
