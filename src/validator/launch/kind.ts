import type { Launch } from '../../contract/index.ts';

export type LaunchKind = 'launch' | 'provision_request';

/**
 * A person's launch names a member or has a place for grades; a provision request has neither, and
 * brings the addresses of what it provisions.
 */
export function kindOfLaunch(launch: Launch): LaunchKind {
  const { member, groups, gradeSubmit, provision, storage } = launch;
  if (member !== undefined || groups !== undefined || gradeSubmit !== undefined) return 'launch';
  const brought = [provision.context, provision.location];
  const parents = [storage.parent_context, storage.parent_location];
  return [...brought, ...parents].some((url) => url !== undefined) ? 'provision_request' : 'launch';
}
