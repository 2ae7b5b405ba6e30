import { FILE_KEY_PATTERN } from './files.ts';
import { ACTIVITY_PROGRESS, GRADING_PROGRESS } from './grades.ts';
import { FILE_KEY_MAX_CHARACTERS, FILE_SIZE, ROW_SIZE } from './limits.ts';
import { ROW_KINDS } from './rows.ts';

/*
 * The payloads of the service as JSON Schema (2020-12), generated from the same rules. Each accepts
 * what is certainly accepted, as far as a schema can express it: sizes in bytes, pointers that must
 * exist, and quotas are beyond it.
 */

type PartOfSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const limits = ROW_KINDS.map((kind) => `${kind} ${ROW_SIZE[kind].label}`).join(', ');

export const ROW_PAYLOAD = {
  title: 'Storage row',
  description: `The JSON object of a row; as compact JSON at most: ${limits}.`,
  type: 'object',
};

const pointer = { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' };

const operation = (op: unknown, path: PartOfSchema, more: PartOfSchema = {}): PartOfSchema => ({
  type: 'object',
  required: ['op', 'path', ...Object.keys(more)],
  properties: { op, path, ...more },
});

const below = { ...pointer, minLength: 1 };
const addition = { enum: ['add', 'replace'] };
const operations = [
  operation(addition, below, { value: true }),
  // The row stays an object, whatever replaces it.
  operation(addition, { const: '' }, { value: { type: 'object' } }),
  operation({ const: 'remove' }, below),
];

export const PATCH_PAYLOAD = {
  title: 'Patch of a storage row',
  description: 'RFC 6902 in a patch key; paths are relative to the root of the row.',
  type: 'object',
  required: ['patch'],
  properties: { patch: { type: 'array', items: { anyOf: operations } } },
};

export const DECLARATION_PAYLOAD = {
  title: 'File declaration',
  type: 'object',
  required: ['size'],
  properties: {
    size: { description: 'In bytes.', type: 'integer', minimum: 0, maximum: FILE_SIZE.bytes },
    mimetype: { ...text, description: 'Guessed from filename or the key when empty.' },
    filename: { ...text, description: 'The name that a download is saved as; the key when empty.' },
    attachment: { type: 'boolean', default: false },
  },
};

export const KEY_PAYLOAD = {
  title: 'File key',
  type: 'string',
  pattern: FILE_KEY_PATTERN,
  minLength: 1,
  maxLength: FILE_KEY_MAX_CHARACTERS,
};

export const GRADE_PAYLOAD = {
  title: 'Grade submission',
  type: 'object',
  required: ['score'],
  properties: {
    score: { description: 'A fraction.', type: 'number', minimum: 0, maximum: 1 },
    max_score: { type: 'number', exclusiveMinimum: 0 },
    comment: text,
    activity_progress: { enum: ACTIVITY_PROGRESS, default: ACTIVITY_PROGRESS[0] },
    grading_progress: { enum: GRADING_PROGRESS, default: GRADING_PROGRESS[0] },
  },
};
