import { CONTROL_PREFIX } from '../../control-request.ts';
import { SIGNATURES } from '../../control-api/taken.ts';
import { DEFAULT_SIGNATURE, type Signature } from '../service/external/signature.ts';
import type { Urls } from '../state/state.ts';

export const COURSE_PREFIX = `${CONTROL_PREFIX}course/`;

/** How a course page shows its tool. */
export interface View {
  /** The frame is on another site than the page, as in a real LMS. */
  readonly isThirdParty: boolean;
  /** How the launch of an external tool is signed. */
  readonly sign: Signature;
}

export function coursePage(
  { urls }: { readonly urls: Urls },
  launchId: string,
  { isThirdParty, sign }: View,
): string {
  const query = [
    ...(isThirdParty ? ['third-party'] : []),
    ...(sign === DEFAULT_SIGNATURE ? [] : [`sign=${sign}`]),
  ].join('&');
  return `${urls.api}${COURSE_PREFIX}${launchId}${query === '' ? '' : `?${query}`}`;
}

/** The host of a frame: that of the page or, for a third party, the other name of this machine. */
export function frameHost({ api }: Pick<Urls, 'api'>, isThirdParty: boolean): string {
  const { hostname } = new URL(api);
  if (!isThirdParty) return hostname;
  if (hostname === '127.0.0.1') return 'localhost';
  return hostname === 'localhost' ? '127.0.0.1' : hostname;
}

export function readView(query: string): View {
  const given = new URLSearchParams(query);
  const sign = SIGNATURES.find((each) => each === given.get('sign')) ?? DEFAULT_SIGNATURE;
  return { isThirdParty: given.has('third-party'), sign };
}

export const CONSOLE_PREFIX = `${CONTROL_PREFIX}console/`;
