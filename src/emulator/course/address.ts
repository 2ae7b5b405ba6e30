import type { Urls } from '../state.ts';

export const COURSE_PREFIX = '/_emulator/course/';

/** How a course page shows its tool. */
export interface View {
  /** The frame is served from another site than the page, as it is in a real LMS. */
  readonly isThirdParty: boolean;
}

/** The address of the course page of a launch. */
export function coursePage(
  { urls }: { readonly urls: Urls },
  launchId: string,
  { isThirdParty }: View,
): string {
  return `${urls.api}${COURSE_PREFIX}${launchId}${isThirdParty ? '?third-party' : ''}`;
}

export function readView(query: string): View {
  return { isThirdParty: new URLSearchParams(query).has('third-party') };
}
