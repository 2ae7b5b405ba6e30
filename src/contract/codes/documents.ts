import { type ExplainedRow, type Params, wrong } from './code-row.ts';

const fault = (p: Params): string => String(p.fault);
const hint = (p: Params): string => String(p.hint);

const SEED = '{"tools": [{"id": "quiz", "status": "asleep"}], "courses": [{"id": "biology"}]}';
const PROJECT = '{"emulator": {"sed": "example"}}';

/** What is wrong with a document of lectern's own; its schema has the words. */
export const DOCUMENT_CODES = {
  'seed.invalid': wrong(fault, 'seed of the emulator', hint, () => ({
    kind: 'seed',
    given: SEED,
    text: SEED,
  })),
  'project.invalid': wrong(fault, 'project file', hint, () => ({
    kind: 'project',
    given: PROJECT,
    text: PROJECT,
  })),
} satisfies Record<string, ExplainedRow>;
