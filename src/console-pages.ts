/**
 * The pages of the emulator's console, in the order of its navigation: read by the console itself, by
 * `lectern emulator open` and its help, and by the tests.
 */
export const CONSOLE_PAGES = [
  { id: 'overview', title: 'Overview', group: 'Run', path: '', key: 'o' },
  { id: 'launch', title: 'Launch', group: 'Run', path: 'launch', key: 'l' },
  { id: 'tools', title: 'Tools', group: 'Run', path: 'tools', key: 's' },
  { id: 'rows', title: 'Rows', group: 'Data', path: 'rows', key: 'r' },
  { id: 'files', title: 'Files', group: 'Data', path: 'files', key: 'f' },
  { id: 'gradebook', title: 'Gradebook', group: 'Data', path: 'gradebook', key: 'b' },
  { id: 'traffic', title: 'Traffic', group: 'Observe', path: 'traffic', key: 't' },
  { id: 'report', title: 'Report', group: 'Observe', path: 'report', key: 'p' },
  { id: 'tokens', title: 'Tokens', group: 'Observe', path: 'tokens', key: 'k' },
  { id: 'clock', title: 'Clock', group: 'Disturb', path: 'clock', key: 'c' },
  { id: 'faults', title: 'Faults', group: 'Disturb', path: 'faults', key: 'a' },
] as const;

export type ConsolePage = (typeof CONSOLE_PAGES)[number];

/** The pages of `lectern observe`: the service behind it has no state that could be shown. */
export const OBSERVED_PAGES: readonly ConsolePage['id'][] = [
  'overview',
  'launch',
  'traffic',
  'report',
];

/** The groups of the navigation, in their order. */
export const CONSOLE_GROUPS = ['Run', 'Data', 'Observe', 'Disturb'] as const;
