import { isProvisionRequest, type Launch } from '../../contract/index.ts';

export type LaunchKind = 'launch' | 'provision_request';

/** Distinguishes the launch of a person from a request to set a course up. */
export function kindOfLaunch(launch: Launch): LaunchKind {
  return isProvisionRequest(launch) ? 'provision_request' : 'launch';
}
