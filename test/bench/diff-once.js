// One measurement in a cold process: prints the milliseconds that one thing took, once, on two rows.
import { readFileSync } from 'node:fs';
import fastJsonPatch from 'fast-json-patch';
import { diffRows, parseJson, validateRow } from '../../dist/index.js';

const [, , what, ...files] = process.argv;
const texts = files.map((file) => readFileSync(file, 'utf8'));
const rows = what === 'diff' ? texts.map((text) => parseJson(text)) : [];
const values = what === 'compare' ? texts.map((text) => JSON.parse(text)) : [];

const THINGS = {
  parse: () => texts.map((text) => JSON.parse(text)),
  compare: () => fastJsonPatch.compare(values[0], values[1]),
  diff: () => diffRows(rows[0], rows[1]),
  validate: () => texts.map((text) => validateRow(text, { kind: 'context' })),
};

const started = process.hrtime.bigint();
THINGS[what]();
process.stdout.write(String(Number(process.hrtime.bigint() - started) / 1e6));
