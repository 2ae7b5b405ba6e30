import {
  type Caller,
  callerText,
  checkCredentialUse,
  CredentialMisuse,
} from '../../client/index.ts';
import {
  checkMember,
  explainViolation,
  fillMember,
  gradeUrlFor,
  gradeUrlTemplate,
  isStaff,
  MEMBER_PLACEHOLDER,
  originOf,
  type Violation,
} from '../../contract/index.ts';
import type { RunRecord, RunTarget } from '../../ledger/ledger.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { CredentialError, ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type Context, withOptions } from '../runtime.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import { gradeLedger } from '../session/ledger.ts';
import { originToCall, type UrlSource, type UsedCredential } from '../session/credential.ts';
import { requireLaunch, type UsedLaunch } from '../session/launch.ts';
import { isGiven } from '../session/precedence.ts';
import { resolveCall } from '../session/resolve-call.ts';
import { findRun } from './bulk/find-run.ts';

/** The URL and the credential of a grade submission, before a member is chosen. */
export type GradeTarget = Awaited<ReturnType<typeof gradeTarget>>;

/** An address, and who chose it. */
interface GivenUrl {
  readonly url: string;
  readonly from: UrlSource;
}

/**
 * Resolves the address and the credential of a grade submission; nothing is sent.
 *
 * @param of the address of a run; without it, the one that is given, or that of the launch
 */
export async function gradeTarget(context: Context, of?: GivenUrl) {
  const given = of ?? (await givenUrl(context));
  if (given !== undefined) originToCall(given.url);
  const { used, url, credential } = await resolveCall(context, {
    ...given,
    claim: async (launch) => {
      if (launch === undefined) await offerUrl(context);
      return claimedAddress(requireLaunch(launch));
    },
  });
  const fromLaunch = used?.launch.gradeSubmit === url ? used.launch : undefined;
  // A token in the environment has no name: it may belong to another person than the launch.
  const isOwnToken = credential.kind === 'launch_token' && credential.name !== undefined;
  const isOfStudent = isOwnToken && used !== undefined && isStaff(used.launch) === false;
  return {
    /** The address unchanged; may contain `{member}`. */
    url,
    ownMember: used?.launch.member,
    /** The member in the address, unchanged; undefined if unknown. */
    member: fromLaunch || names(url, used?.launch.member) ? used?.launch.member : undefined,
    location: fromLaunch?.location,
    context: fromLaunch?.context,
    credential,
    /** The launch, as it was named. */
    launch: used?.name,
    /** Whether the address is of a staff launch, whose own user is staff. */
    isOfStaff: fromLaunch !== undefined && isStaff(fromLaunch) === true,
    /** For a student's token: the only member whose grades it may submit. */
    onlyMember: isOfStudent ? used.launch.member : undefined,
  };
}

/** `--url`; `run:N` is the URL of a run, which may have a signed query that is not printed. */
async function givenUrl(context: Context): Promise<GivenUrl | undefined> {
  const { url } = context.options;
  const [, run] = /^run:(.*)$/.exec(url ?? '') ?? [];
  if (run !== undefined) return urlOf(context, await findRun(context, run));
  return url === undefined ? undefined : { url, from: 'user' };
}

/** The address of a run, which the user of this machine chose if it was planned here. */
async function urlOf(context: Context, { target, options }: RunRecord): Promise<GivenUrl> {
  const { shared } = await gradeLedger(context);
  const from = shared ? 'shared run' : options.imported === true ? 'imported run' : 'user';
  return { url: target.url, from };
}

/** Without a launch and a URL: an error that names the newest run, whose URL is stored. */
async function offerUrl(context: Context): Promise<void> {
  const [run] = await (await gradeLedger(context)).runs(1);
  if (run === undefined) return;
  throw new CredentialError(
    'missing',
    'no launch selected',
    `pass --launch NAME or FILE, set LECTERN_LAUNCH, or use the URL of run ${run.id}, at ${run.target.origin}: --url run:${run.id}`,
  );
}

function names(url: string, member: string | undefined): boolean {
  return !url.includes(MEMBER_PLACEHOLDER) && 'url' in gradeUrlTemplate(url, member);
}

function claimedAddress({ launch, name }: UsedLaunch): string {
  if (launch.gradeSubmit === null) {
    throw invalid({ code: 'grade_url.null', path: 'grade.submit', params: {} });
  }
  if (launch.gradeSubmit !== undefined) return launch.gradeSubmit;
  throw new InvalidError(`launch ${name} has no grade.submit`, {
    code: 'launch.claim_missing',
    hint: 'provision requests have none; lectern launch decode shows the claims of a launch',
  });
}

/** The address for one member; without one, the original address. */
export function addressFor(target: GradeTarget, member: string | undefined): string {
  if (member === undefined) {
    if (target.url.includes(MEMBER_PLACEHOLDER)) {
      throw new UsageError(`the URL contains ${MEMBER_PLACEHOLDER}`, 'pass --member ID');
    }
    if (target.isOfStaff) {
      throw new UsageError(
        'this is a staff launch: without --member it would grade its own user',
        'pass --member ID',
      );
    }
    checkOwnMember(target);
    return target.url;
  }
  const address = gradeUrlFor(target.url, target.ownMember, member);
  if ('url' in address) return address.url;
  throw invalid(address.violation);
}

/**
 * The attempt is stored with the launch's own member, so it must be text that an address can
 * contain.
 */
function checkOwnMember({ member }: GradeTarget): void {
  const unusable = member === undefined ? undefined : checkMember(member);
  if (!unusable) return;
  const { message } = explainViolation(unusable);
  throw new InvalidError(`invalid user.member in the launch: ${message}`, {
    code: unusable.code,
    hint: 'get a new launch, or pass --member ID',
  });
}

/**
 * The address of a bulk run, with the placeholder for the member. Refuses what the contract rejects
 * for all rows, before anything is sent.
 */
export function bulkTarget({
  url,
  ownMember,
  location,
  context,
  credential,
}: GradeTarget): RunTarget {
  const template = gradeUrlTemplate(url, ownMember);
  if ('violation' in template) throw invalid(template.violation);
  checkCredentialUse(credential, { area: 'grade', url: fillMember(template.url, 'member') });
  return { url: template.url, origin: credential.origin, location, context };
}

function invalid(found: Violation): InvalidError {
  const { message, hint } = explainViolation(found);
  return new InvalidError(message, { code: found.code, hint });
}

/** The credential of a flag or the environment; else the one the run was started with. */
export async function credentialOfRun(
  context: Context,
  run: RunRecord,
  verb: 'resume' | 'work' | 'undo',
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
  const { url } = run.target;
  const given = await givenUrl(context);
  if (given !== undefined && given.url !== url) {
    throw new UsageError(`run ${run.id} was planned for another URL`, 'leave out --url');
  }
  const { launch, apiKey } = run.options as Pick<GlobalOptions, 'launch' | 'apiKey'>;
  const isKeyUsed = run.credential === 'api_key';
  const isLaunchGiven = isKeyUsed
    ? options.launch !== undefined
    : isGiven(context, 'launch') || isGiven(context, 'token');
  const isOwn = !isGiven(context, 'key') && !isLaunchGiven;
  // The key may be of another machine with the same ledger.
  const key = isKeyUsed && apiKey ? await (await context.keys()).spelling(apiKey) : undefined;
  const { credential, onlyMember } = await gradeTarget(
    withOptions(context, {
      ...options,
      ...(isOwn && !isKeyUsed && launch !== undefined && { launch }),
      ...(isOwn && key !== undefined && { apiKey: key }),
    }),
    given ?? (await urlOf(context, run)),
  );
  if (isKeyUsed && credential.kind !== 'api_key' && !options.launch) {
    throw new CredentialError(
      'missing',
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
