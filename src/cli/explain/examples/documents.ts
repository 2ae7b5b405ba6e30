import { readDocument } from '../../input/document.ts';
import { projectKind } from '../../project/read.ts';
import { seedKind } from '../../input/seed.ts';
import { byValidator, type Examples } from './example.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const SEED = '{"tools": [{"id": "quiz", "status": "asleep"}], "courses": [{"id": "biology"}]}';
const PROJECT = '{"emulator": {"sed": "example"}}';

export const DOCUMENT_EXAMPLES: Examples<'seed' | 'project'> = {
  'seed.invalid': byValidator(
    SEED,
    async () => readDocument(bytes(SEED), await seedKind()).findings,
  ),
  'project.invalid': byValidator(PROJECT, () => readDocument(bytes(PROJECT), projectKind).findings),
};
