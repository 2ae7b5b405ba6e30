import { type Params, wrong } from './row.ts';

const fault = (p: Params): string => String(p.fault);
const hint = (p: Params): string => String(p.hint);

/** What is wrong with a document of lectern's own; its schema has the words. */
export const DOCUMENT_CODES = {
  'seed.invalid': wrong(fault, 'seed of the emulator', hint),
  'project.invalid': wrong(fault, 'project file', hint),
};
