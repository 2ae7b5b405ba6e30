/** The pages, in their order, with the key that leads to each after `g`. */
export const PAGES = [
  { page: '', name: 'Overview', key: 'o' },
  { page: 'launch', name: 'Launch', key: 'l' },
  { page: 'rows', name: 'Rows', key: 'r' },
  { page: 'files', name: 'Files', key: 'f' },
  { page: 'gradebook', name: 'Gradebook', key: 'b' },
  { page: 'traffic', name: 'Traffic', key: 't' },
  { page: 'clock', name: 'Clock', key: 'c' },
  { page: 'faults', name: 'Faults', key: 'a' },
  { page: 'tokens', name: 'Tokens', key: 'k' },
  { page: 'tools', name: 'Tools', key: 's' },
  { page: 'report', name: 'Report', key: 'p' },
] as const;
