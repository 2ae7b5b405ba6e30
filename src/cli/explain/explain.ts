import { CONTRACT_CHANGES } from '../../contract/index.ts';
import { nearest, oneOfWords } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import {
  changeBlocks,
  codeBlocks,
  errorBlocks,
  exitBlocks,
  indexBlocks,
  limitBlocks,
  plainLines,
  referenceBlocks,
  statusBlocks,
  termBlocks,
} from '../output/explain.ts';
import { escapeLines } from '../output/escape.ts';
import { wrapLines } from '../output/wrap.ts';
import type { Context } from '../runtime.ts';
import { printLong } from '../shared/long-text.ts';
import { printJson } from '../ui.ts';
import { LIMITS } from './limits.ts';
import {
  EXPLAINED_EXITS,
  EXPLAINED_ERRORS,
  explainCodes,
  explainStatus,
  wholeReference,
} from './reference.ts';
import { EXPLAINED_WORDS, findTerm, GLOSSARY, TABLE_NAMES } from './words.ts';

interface Explanation {
  readonly json: unknown;
  readonly blocks: readonly string[];
}

export async function runExplain(
  context: Context,
  word: string | undefined,
  command: readonly string[],
): Promise<void> {
  if (word === 'json' || word === 'schema' || word === 'openapi') {
    const { PRINT_SCHEMA } = await import('./schemas.ts');
    return PRINT_SCHEMA[word](context, command.join(' '));
  }
  const topic = [word ?? [], command].flat().join(' ');
  if (topic.replace('-', ' ') === 'example grades') return printExample(context);
  const { json, blocks } = await explain(topic);
  const { isTerminal, columns } = context.stdout;
  if (context.options.json) await printJson(context, json);
  else {
    const lines = plainLines(blocks);
    const text = wrapLines(lines, isTerminal ? columns : undefined).join('\n');
    await printLong(context, escapeLines(`${text}\n`), context.options.pager !== false);
  }
}

/** A grade file for the emulator's example course, as a gradebook exports it. */
async function printExample(context: Context): Promise<void> {
  const file = exampleGrades();
  if (context.options.json) await printJson(context, { name: 'grades.csv', text: file });
  else await context.stdout.write(file);
}

const STUDENTS = 200;
const COMMENTS = ['', '"Clear, complete"', '', 'Well observed', '', '', 'Please add the dates'];

function exampleGrades(): string {
  const lines = Array.from({ length: STUDENTS }, (_, at) => {
    const points = 8 + ((at * 7) % 25) / 2;
    return `astronomy-2026-student-${at + 1},${points},20,${COMMENTS[(at * 5) % 23] ?? ''}\n`;
  });
  return `student_id,points,max_score,comment\n${lines.join('')}`;
}

const TABLES: Readonly<Record<(typeof TABLE_NAMES)[number], Explanation>> = {
  limits: { json: LIMITS, blocks: limitBlocks(LIMITS) },
  errors: { json: EXPLAINED_ERRORS, blocks: errorBlocks(EXPLAINED_ERRORS) },
  'exit-codes': { json: EXPLAINED_EXITS, blocks: exitBlocks(EXPLAINED_EXITS) },
  changes: { json: CONTRACT_CHANGES, blocks: changeBlocks(CONTRACT_CHANGES) },
};

async function explain(word: string): Promise<Explanation> {
  if (word === 'all' || word === '') {
    const json = await wholeReference();
    return { json, blocks: word === '' ? indexBlocks(json, GLOSSARY) : referenceBlocks(json) };
  }
  const table = TABLE_NAMES.find((each) => each === word);
  if (table) return TABLES[table];
  const exit = EXPLAINED_EXITS.find((each) => String(each.exit) === word);
  if (exit) return { json: exit, blocks: exitBlocks([exit]) };
  if (/^[1-5]\d\d$/.test(word)) {
    const status = await explainStatus(Number(word));
    return { json: status, blocks: statusBlocks(status) };
  }
  const [code] = await explainCodes((each) => each === word);
  if (code) return { json: code, blocks: codeBlocks(code) };
  const term = findTerm(word);
  if (term) return { json: term, blocks: termBlocks(term) };
  throw new UsageError(`no help for ${JSON.stringify(word)}`, nearestWord(word));
}

/** A code is often remembered by a part of it. */
function nearestWord(word: string): string {
  const containing = EXPLAINED_WORDS.filter((each) => word.length > 2 && each.includes(word));
  if (containing.length > 1) return oneOfWords(containing);
  return nearest(word, EXPLAINED_WORDS);
}
