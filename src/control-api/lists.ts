/** The lists of the control API. */
export type ListName =
  | 'members'
  | 'tokens'
  | 'rows'
  | 'file-sets'
  | 'files'
  | 'attempts'
  | 'gradebook'
  | 'faults'
  | 'lms'
  | 'versions';

/** What is said of an empty list instead of a table. */
export const NOTHING: Readonly<Partial<Record<ListName, string>>> = {
  faults: 'no pending faults',
  versions: 'the row was not written since the emulator started',
};
