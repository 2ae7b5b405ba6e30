import { signal } from '@preact/signals';
import { CONTROL_PREFIX } from '../control-request.ts';

const PREFIX = `${CONTROL_PREFIX}console/`;

export interface Place {
  /** The page, in lower case; '' is the overview. */
  readonly page: string;
  /** The rest of the path, decoded. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

export const place = signal(read());
/** Counts the user's page changes. */
export const moves = signal(0);

function read(): Place {
  const [page = '', ...rest] = location.pathname.slice(PREFIX.length).split('/');
  return {
    page: page.toLowerCase() === 'overview' ? '' : page.toLowerCase(),
    rest: rest.map(decode).join('/'),
    query: new URLSearchParams(location.search),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

addEventListener('popstate', () => {
  place.value = read();
});

/** The address of a page, an item on it, and its filters. */
export function addressOf(
  page: string,
  rest = '',
  query: Readonly<Record<string, string>> = {},
): string {
  const path = rest === '' ? '' : `/${rest.split('/').map(encodeURIComponent).join('/')}`;
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  return `${PREFIX}${page}${path}${text === '' ? '' : `?${text}`}`;
}

/**
 * Navigates to an address. With `stays` the content opens beside the current one, without taking
 * the focus.
 */
export function go(address: string, { stays = false } = {}): void {
  const before = place.value;
  history.pushState(null, '', address);
  place.value = read();
  const isOther = before.page !== place.value.page || before.rest !== place.value.rest;
  if (isOther && !stays) moves.value++;
}

/** A filter in the address; '' if it is not there. */
export function filterValue(name: string): string {
  return place.value.query.get(name) ?? '';
}

/** Filters the lists of a page, each from its first page. */
export function filterBy(filters: Readonly<Record<string, string>>): void {
  setFilters({ after: '', attempts: '', before: '', ...filters });
}

/** Puts filters into the address, so that they can be shared and reloaded. */
export function setFilters(filters: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(filters)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text === '' ? '' : `?${text}`));
  place.value = read();
}
