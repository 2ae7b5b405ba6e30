/** One dated change of the contract ("Versioning", 3). */
export interface ContractChange {
  readonly date: string;
  readonly changes: readonly string[];
}

/** The label of the version that lectern implements. */
export const CONTRACT_VERSION = '2026-10-13';

/** The contract changes, newest first. */
export const CONTRACT_CHANGES: readonly ContractChange[] = [
  {
    date: '2026-10-12',
    changes: [
      'launch token with a 12-hour idle lifetime; claims api.expires, api.idle and version',
      'grade response gains lineitem and moves member, location, app and context under annotations',
      'per-row file quotas of 100, 250 and 500 MB',
      'messages say tool instead of app',
    ],
  },
  {
    date: '2026-10-11',
    changes: ['a hosted tool manifest that carries locations or grouped_locations is refused'],
  },
  {
    date: '2026-10-05',
    changes: [
      'files claim added; storage size limits stated; hosted tool upload limits',
      "the service's reserved file name at a tool folder's root is refused",
    ],
  },
  {
    date: '2026-09-21',
    changes: [
      'grades are submitted to the grade.submit URL; the body loses launch_id',
      'each call is an attempt and the response is the attempt; the management API is removed',
    ],
  },
  {
    date: '2026-09-04',
    changes: ['a locations answer may carry message and grouped_locations'],
  },
  {
    date: '2026-09-02',
    changes: [
      'no location.params; staff launches carry name and email; permission rules corrected; max_score documented',
    ],
  },
  {
    date: '2026-08-25',
    changes: [
      'provisioning and tool-served locations introduced; new context and location.extid',
      'user.role, resource_link_id and organization.id became user.groups with user.member, resource_link and organization.deployment',
    ],
  },
];
