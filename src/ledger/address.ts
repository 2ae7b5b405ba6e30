import { createHash } from 'node:crypto';
import { withoutQuery } from '../contract/url.ts';
import { withoutNul } from './columns.ts';
import type { GradeAddress } from './ledger.ts';

const DIGEST_DIGITS = 12;

/**
 * Identifies a URL: the URL with a digest in place of its query. A query may contain a signature, which
 * must not be stored, but it may also be the only difference between two URLs.
 */
export function addressOf(url: string): string {
  const bare = withoutQuery(url);
  if (bare === url) return bare;
  const digest = createHash('sha256').update(url.slice(bare.length)).digest('hex');
  return `${bare}~${digest.slice(0, DIGEST_DIGITS)}`;
}

/** The placeholder for the member in a stored URL. A callable URL is ASCII, so it cannot contain it. */
export const STORED_PLACEHOLDER = '‹member›';

/**
 * The address of a URL, with a placeholder for the member's segment: the last one that is equal to the
 * member. An address without one is returned unchanged.
 */
export function toTemplate({ url, member }: GradeAddress): string {
  const bare = withoutQuery(url);
  if (bare !== url) return toTemplate({ url: bare, member }) + addressOf(url).slice(bare.length);
  const segment = `/${encodeURIComponent(member)}`;
  for (let at = bare.lastIndexOf(segment); at > 0; at = bare.lastIndexOf(segment, at - 1)) {
    const end = at + segment.length;
    if (end === bare.length || bare[end] === '/') {
      return `${bare.slice(0, at)}/${STORED_PLACEHOLDER}${bare.slice(end)}`;
    }
  }
  return bare;
}

/** The inverse of `toTemplate`. */
export function fillTemplate(template: string, member: string): string {
  return template.replace(STORED_PLACEHOLDER, () => encodeURIComponent(member));
}

/** The service's location and course, if known. */
type Course = { readonly [Name in 'location' | 'context']?: string | null | undefined };

/** A grade address as it is stored, once for all members. */
export interface StoredTarget {
  readonly url: string;
  readonly location: string | null;
  readonly context: string | null;
}

/** More targets than a real run has; for URLs without a member segment there is one per member. */
const MAX_CACHED = 1000;

/** The ids of targets, each of which is stored once. */
export class TargetIds<Id> {
  readonly #store: (target: StoredTarget) => Id;
  readonly #ids = new Map<string, Id>();

  constructor(store: (target: StoredTarget) => Id) {
    this.#store = store;
  }

  /** The id of an attempt's target, which is stored if new. */
  idOf(attempt: GradeAddress & Course): Id {
    const location = withoutNul(attempt.location ?? null);
    const context = withoutNul(attempt.context ?? null);
    const url = toTemplate(attempt);
    const key = JSON.stringify([url, location, context]);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#store({ url, location, context });
    if (this.#ids.size >= MAX_CACHED) this.forget();
    this.#ids.set(key, id);
    return id;
  }

  /** Clears the cache, whose entries may have been rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}
