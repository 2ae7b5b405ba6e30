import { decodedOrSame, splitUrl } from './url.ts';
import { shorten } from './words.ts';
import { type Params, violation, type Violation } from './violations.ts';

/**
 * The shape of a grade URL ("Authentication"): `contexts` takes the API key and a changed member;
 * `account` (under `/account/v1/users/`) takes neither; `other` is not in the contract.
 */
export type GradeUrlShape = 'contexts' | 'account' | 'other';

/** The shape of a grade URL, by whole segments of its path. The service may have a path prefix. */
export function gradeUrlShape(url: string): GradeUrlShape {
  const segments = pathSegments(url);
  if (accountIndex(segments) !== -1) return 'account';
  // "Under" requires another segment.
  return segments.slice(0, -1).includes('contexts') ? 'contexts' : 'other';
}

function pathSegments(url: string): string[] {
  const split = splitUrl(url);
  return 'fault' in split ? [] : split.path.split('/').slice(1);
}

function accountIndex(segments: readonly string[]): number {
  return segments.findIndex(
    (segment, index) =>
      segment === 'account' && segments[index + 1] === 'v1' && segments[index + 2] === 'users',
  );
}

export const MEMBER_PLACEHOLDER = '{member}';

type ChangedUrl = { url: string } | { violation: Violation };

/**
 * The grade URL for another member of the course: "the only segment of the URL that may be changed
 * is the member segment … for a URL under /contexts/…". The segment is the one that equals the
 * launch's own member, whole and once, or `{member}` if the URL has it. Everything else stays
 * unchanged, byte for byte.
 */
export function gradeUrlFor(url: string, own: string | undefined, member: string): ChangedUrl {
  const invalid = checkMember(member);
  if (invalid) return { violation: invalid };
  if (own === member && !url.includes(MEMBER_PLACEHOLDER)) return { url };
  if (own !== member && gradeUrlShape(url) !== 'contexts') return refused('not_contexts');
  const template = insertPlaceholder(url, own);
  return 'url' in template ? { url: fillMember(template.url, member) } : template;
}

/**
 * The grade URL with `{member}` as its member segment, for `fillMember`. The violations are those
 * of `gradeUrlFor`.
 */
export function gradeUrlTemplate(url: string, own: string | undefined): ChangedUrl {
  return gradeUrlShape(url) === 'contexts' ? insertPlaceholder(url, own) : refused('not_contexts');
}

/** The URL for one member, who was checked with `checkMember`. */
export function fillMember(template: string, member: string): string {
  return template.replace(MEMBER_PLACEHOLDER, () => encodeURIComponent(member));
}

/** The placeholder is a whole segment of the path. */
function insertPlaceholder(url: string, own: string | undefined): ChangedUrl {
  const count = url.split(MEMBER_PLACEHOLDER).length - 1;
  if (count > 1) return refused('member_twice', { member: MEMBER_PLACEHOLDER, count });
  if (count === 1) {
    if (pathSegments(url).includes(MEMBER_PLACEHOLDER)) return { url };
    return refused('member_absent', { member: MEMBER_PLACEHOLDER });
  }
  const split = splitUrl(url);
  // An empty ID would match every empty segment.
  if (own === undefined || own === '' || 'fault' in split) {
    return refused('member_absent', { member: own || MEMBER_PLACEHOLDER });
  }
  return replaceSegment(url, split.path, own);
}

function replaceSegment(url: string, path: string, own: string): ChangedUrl {
  const segments = path.split('/');
  const under = segments.indexOf('contexts');
  const places = segments.flatMap((segment, index) =>
    // The segment after `contexts` is the course, even if it is equal.
    index > under + 1 && decodedOrSame(segment) === own ? [index] : [],
  );
  const [place] = places;
  if (place === undefined) return refused('member_absent', { member: own });
  if (places.length > 1) return refused('member_twice', { member: own, count: places.length });
  const pathStart = url.indexOf('/', url.indexOf('//') + 2);
  segments[place] = MEMBER_PLACEHOLDER;
  return { url: url.slice(0, pathStart) + segments.join('/') + url.slice(pathStart + path.length) };
}

function refused(
  code: 'not_contexts' | 'member_absent' | 'member_twice',
  params: Params = {},
): ChangedUrl {
  return { violation: violation(`grade_url.${code}`, '', params) };
}

/** Checks that an ID can be a member segment: not empty, no dot segment, no control character. */
export function checkMember(member: string): Violation | undefined {
  const usable =
    member !== '' && member !== '.' && member !== '..' && !/[\p{Cc}\p{Cs}]/u.test(member);
  return usable
    ? undefined
    : violation('grade_url.member_invalid', '', { member: shorten(member) });
}
