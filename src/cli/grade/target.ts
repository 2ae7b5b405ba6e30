import { checkCredentialUse } from '../../client/index.ts';
import {
  checkMember,
  explainViolation,
  fillMember,
  gradeUrlFor,
  gradeUrlTemplate,
  isStaff,
  type Launch,
  MEMBER_PLACEHOLDER,
  type Violation,
} from '../../contract/index.ts';
import type { RunTarget } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { InvalidError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { apiKeyFor, tokenFor, type UsedCredential } from '../session/credential.ts';
import { findLaunch, requireLaunch, type UsedLaunch } from '../session/launch.ts';

/** The URL and the credential of a grade submission, before a member is chosen. */
export interface GradeTarget {
  /** The address unchanged; may contain `{member}`. */
  readonly url: string;
  readonly ownMember: string | undefined;
  /** The member in the address, unchanged; undefined if unknown. */
  readonly member: string | undefined;
  readonly location: string | undefined;
  readonly context: string | undefined;
  readonly credential: UsedCredential;
  /** The launch, as it was named. */
  readonly launch: string | undefined;
  /** Whether the address is of a staff launch, whose own user is staff. */
  readonly isOfStaff: boolean;
  /** For a student's token: the only member whose grades it may submit. */
  readonly onlyMember: string | undefined;
}

/** Resolves the address and the credential of a grade submission; nothing is sent. */
export async function gradeTarget(context: Context): Promise<GradeTarget> {
  const used = await findLaunch(context);
  const url = context.options.url ?? claimedAddress(requireLaunch(used));
  const fromLaunch = used?.launch.gradeSubmit === url ? used.launch : undefined;
  const credential = (await apiKeyFor(context, used, url)) ?? tokenFor(context, used, url);
  return {
    url,
    ownMember: used?.launch.member,
    member: fromLaunch || names(url, used?.launch.member) ? used?.launch.member : undefined,
    location: fromLaunch?.location,
    context: fromLaunch?.context,
    credential,
    launch: used?.name,
    isOfStaff: fromLaunch !== undefined && isStaff(fromLaunch) === true,
    onlyMember: used && isOwnToken(credential) ? memberOfStudent(used.launch) : undefined,
  };
}

/** A token in the environment may belong to another person than the launch. */
function isOwnToken({ kind, name }: UsedCredential): boolean {
  return kind === 'launch_token' && name !== undefined;
}

function memberOfStudent(launch: Launch): string | undefined {
  return isStaff(launch) === false ? launch.member : undefined;
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
