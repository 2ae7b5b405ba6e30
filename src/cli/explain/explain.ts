import { type Area, codeInText } from '../../contract/errors.ts';
import { mailTexts } from '../../contract/mail.ts';
import { CONTRACT_CHANGES, truncate } from '../../contract/index.ts';
import { nearest, oneOfWords } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import {
  changeBlocks,
  codeBlocks,
  errorBlocks,
  exitBlocks,
  freedomBlocks,
  gradebookBlocks,
  indexBlocks,
  limitBlocks,
  plainLines,
  referenceBlocks,
  statusBlocks,
  termBlocks,
} from '../output/explain.ts';
import { escapeLines } from '../../contract/escape.ts';
import { type Explained, EXPLAINED_LISTS } from '../output/explained.ts';
import { type ListColumns, tableOf } from '../output/columns.ts';
import type { Result, Shown } from '../output/result.ts';
import type { Table } from '../output/table.ts';
import { widthOf, wrapLines } from '../output/wrap.ts';
import { readInput } from '../input/read.ts';
import type { Context } from '../runtime.ts';
import type { ExplainedCode, ExplainedStatus } from '../output/others-forms.ts';
import {
  EXPLAINED_EXITS,
  EXPLAINED_ERRORS,
  explainCodes,
  explainStatus,
  GRADEBOOKS,
  LIMITS,
  wholeReference,
} from './reference.ts';
import { ownTermIn } from './own-errors.ts';
import { EXPLAINED_WORDS, findTerm, GLOSSARY, TABLE_NAMES } from './words.ts';

interface Explanation {
  readonly json: unknown;
  readonly blocks: readonly string[];
  /** The same as a table, if it is a list. */
  readonly table?: Table;
}

export async function runExplain(
  context: Context,
  word: string | undefined,
  command: readonly string[],
): Promise<Result> {
  if (word === 'json' || word === 'schema' || word === 'openapi') {
    const { EXPLAINED_SCHEMAS } = await import('./schemas.ts');
    return EXPLAINED_SCHEMAS[word](command.join(' '));
  }
  const topic = [word ?? [], command].flat().join(' ');
  if (/^example(?:[- ]grades)?$/.test(topic)) return exampleGrades();
  const explained = await (topic === '-' ? explainInput(context) : explain(topic));
  const { json, blocks, table } = explained;
  const text: Shown = {
    drawn: (output) =>
      escapeLines(`${wrapLines(plainLines(blocks), widthOf(output)).join('\n')}\n`),
    isLong: true,
  };
  return { json, show: table ? { table, terminal: text, pipe: text } : text };
}

/** A text on standard input is not repeated: it may have a token. */
async function explainInput(context: Context): Promise<Explanation> {
  const { bytes, source } = await readInput(context, '-', 'explain');
  const found = await findInText(new TextDecoder().decode(bytes));
  if (found) return found;
  throw new UsageError(
    `${source} has no message, code or status that is known`,
    'a launch in it is read by: lectern launch decode -',
  );
}

const STUDENTS = 200;
const COMMENTS = ['', '"Clear, complete"', '', 'Well observed', '', '', 'Please add the dates'];

/** A grade file for the emulator's example course, as a gradebook exports it. */
function exampleGrades(): Result {
  const lines = Array.from({ length: STUDENTS }, (_, at) => {
    const points = 8 + ((at * 7) % 25) / 2;
    return `astronomy-2026-student-${at + 1},${points},20,${COMMENTS[(at * 5) % 23] ?? ''}\n`;
  });
  const text = `student_id,points,max_score,comment\n${lines.join('')}`;
  return { json: { name: 'grades.csv', text }, show: { raw: text } };
}

/** What is a list: its items, and the functions that explain them. */
const LISTS: { readonly [Word in (typeof TABLE_NAMES)[number]]: () => Promise<Explanation> } = {
  limits: () => listed('limits', LIMITS, limitBlocks),
  errors: () => listed('errors', EXPLAINED_ERRORS, errorBlocks),
  'exit-codes': () => listed('exit-codes', EXPLAINED_EXITS, exitBlocks),
  grades: () => listed('grades', GRADEBOOKS, gradebookBlocks),
  changes: () => listed('changes', CONTRACT_CHANGES, changeBlocks),
  vary: async () => {
    const { listedFreedoms } = await import('../../emulator/index.ts');
    return listed('vary', listedFreedoms(), freedomBlocks);
  },
  glossary: () => listed('glossary', GLOSSARY, (terms) => terms.flatMap(termBlocks)),
};

async function listed<Word extends keyof typeof EXPLAINED_LISTS>(
  word: Word,
  items: readonly Explained<Word>[],
  blocksOf: (items: readonly Explained<Word>[]) => string[],
): Promise<Explanation> {
  return {
    json: items,
    blocks: blocksOf(items),
    table: tableOf<ListColumns>(EXPLAINED_LISTS[word], items, 0),
  };
}

/** The pages of docs that are explanations. */
const PAGES = {
  programs: () => import('../../../docs/programs.md?raw'),
  capture: () => import('../../../docs/capture.md?raw'),
};

function isPage(word: string): word is keyof typeof PAGES {
  return Object.hasOwn(PAGES, word);
}

async function explain(word: string): Promise<Explanation> {
  if (word === 'all' || word === '') {
    const json = await wholeReference();
    return { json, blocks: word === '' ? indexBlocks(json) : referenceBlocks(json) };
  }
  if (isPage(word)) {
    const { default: text } = await PAGES[word]();
    return { json: { text }, blocks: [text.trimEnd()] };
  }
  const list = TABLE_NAMES.find((each) => each === word);
  if (list) return LISTS[list]();
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
  const found = await findInText(word);
  if (found) return found;
  throw new UsageError(`no help for ${JSON.stringify(truncate(word))}`, nearestWord(word));
}

/** A message or a code of the service or of lectern, or a status, in a text such as a mail. */
async function findInText(pasted: string): Promise<Explanation | undefined> {
  const text = lineOf(pasted);
  const own = ownTermIn(text);
  if (own) return { json: own, blocks: termBlocks(own) };
  const words = new Set(text.match(/[a-z_.]+/g));
  const known = codeInText(text) ?? (await codeOfMessage(text));
  const [code] = await explainCodes((each) => words.has(each) || each === known);
  if (code) return { json: code, blocks: codeBlocks(code) };
  const [, number] = /\bexit(?: code)?(?:": ?|:? )(\d+)\b/.exec(text) ?? [];
  const exit = EXPLAINED_EXITS.find((each) => String(each.exit) === number);
  if (exit) return { json: exit, blocks: exitBlocks([exit]) };
  const status = STATUS.exec(text)?.[0];
  if (status === undefined || !/[ .]/.test(text)) return undefined;
  const explained = inArea(await explainStatus(Number(status)), areaOf(text));
  return { json: explained, blocks: statusBlocks(explained) };
}

/** A port is none. */
const STATUS = /(?<![\w\]]:)\b[45]\d\d\b/;

/** A pasted text in one line: of a mail its decoded parts, without the marks of a quote. */
function lineOf(pasted: string): string {
  const mail = mailTexts(pasted);
  const text = (mail.length > 0 ? mail : [pasted]).join('\n').replace(/^[ \t]*(?:>[ \t]?)+/gm, '');
  // Warnings come before the error of a command.
  const [error = text] = /^lectern: [^]*/m.exec(text) ?? [];
  return error.replace(/\s+/g, ' ').trim();
}

/** What the first path or URL of a text is of, by the shapes of the contract and the emulator. */
const AREAS: readonly (readonly [Area, RegExp])[] = [
  ['grade', /grade|score/i],
  ['files', /files/i],
  ['storage', /row|data|storage/i],
  ['grade', /\/contexts\/|\/account\/v1\/users\//],
];

function areaOf(text: string): Area | undefined {
  const [path = ''] = /(?:\bhttps?:\/|(?<![\w/]))\/[^\s"'<>]+/.exec(text) ?? [];
  return AREAS.find(([, pattern]) => pattern.test(path))?.[0];
}

function inArea(explained: ExplainedStatus, area: Area | undefined): ExplainedStatus {
  const errors = explained.errors.filter((each) => each.area === area);
  if (errors.length === 0) return explained;
  const isOfGrade = ({ code, example }: ExplainedCode): boolean => /grade/.test(code + example);
  const codes = explained.codes.filter((each) => isOfGrade(each) === (area === 'grade'));
  return { ...explained, errors, codes };
}

/** Fewer words are in many messages. */
const LEAST_WORDS = 4;

/** The code in whose message most words are those of a text, in order, whatever its names and numbers. */
async function codeOfMessage(text: string): Promise<string | undefined> {
  const own = wordsOf(text);
  const codes = (await explainCodes(() => true)).map(({ code, message }) => {
    const words = wordsOf(message);
    let from = 0;
    const isNext = (word: string): boolean => {
      const at = own.indexOf(word, from);
      if (at >= 0) from = at + 1;
      return at >= 0;
    };
    const shared = words.filter(isNext).length;
    return { code, shared, isMost: shared >= LEAST_WORDS && shared >= words.length * 0.8 };
  });
  const likely = codes.filter(({ isMost }) => isMost).sort((a, b) => b.shared - a.shared);
  return text.includes(' ') ? likely[0]?.code : undefined;
}

/** What is in quotes differs from message to message. */
function wordsOf(text: string): string[] {
  const own = text.replace(/"[^"]*"/g, '');
  return own.toLowerCase().match(/[a-z_]+/g) ?? [];
}

/** A code is often remembered by a part of it. */
function nearestWord(word: string): string {
  const containing = EXPLAINED_WORDS.filter((each) => word.length > 2 && each.includes(word));
  if (containing.length > 1) return oneOfWords(containing);
  return nearest(word, EXPLAINED_WORDS);
}
