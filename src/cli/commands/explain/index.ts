import type { Command } from 'commander';
import { CODES, CONTRACT_CHANGES, ERRORS } from '../../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { LIMITS } from '../../explain/limits.ts';
import {
  EXIT_CODES,
  explainCodes,
  explainStatus,
  wholeReference,
} from '../../explain/reference.ts';
import { nearest, oneOf } from '../../nearest.ts';
import {
  changeLines,
  codeLines,
  errorLines,
  exitLines,
  limitLines,
  referenceLines,
  statusLines,
} from '../../output/explain.ts';
import { wrapped } from '../../output/wrap.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson, printText } from '../../ui.ts';

export function register(program: Command, runtime: Runtime): void {
  program
    .command('explain')
    .summary("the contract's limits, errors and codes, from the terminal")
    .description(
      'Explain an HTTP status, an exit code, the code of a finding, or one of the tables: limits, errors, exit-codes, changes. Without a word, all of it.',
    )
    .argument('[word]', 'an HTTP status, an exit code, a code of a finding, or a table')
    .action(async (word: string | undefined, _options, command: Command) => {
      await runExplain(runtime, command.optsWithGlobals(), word);
    });
}

/** Something explained: as data, and as lines. */
interface Explanation {
  readonly json: unknown;
  readonly lines: readonly string[];
}

async function runExplain(
  runtime: Runtime,
  options: GlobalOptions,
  word: string | undefined,
): Promise<void> {
  const { json, lines } = await (word === undefined ? explainAll() : explain(word));
  const { isTerminal, columns } = runtime.stdout;
  if (options.json) await printJson(runtime, json);
  else await printText(runtime, wrapped(lines, isTerminal ? columns : undefined).join('\n'));
}

async function explainAll(): Promise<Explanation> {
  const reference = await wholeReference();
  return { json: reference, lines: referenceLines(reference) };
}

/** The tables, by the words that ask for them. */
const TABLES: Readonly<Record<string, Explanation>> = {
  limits: { json: LIMITS, lines: limitLines(LIMITS) },
  errors: { json: ERRORS, lines: errorLines(ERRORS) },
  'exit-codes': { json: EXIT_CODES, lines: exitLines(EXIT_CODES) },
  changes: { json: CONTRACT_CHANGES, lines: changeLines(CONTRACT_CHANGES) },
};

const WORDS: readonly string[] = [...Object.keys(TABLES), ...Object.keys(CODES)];

async function explain(word: string): Promise<Explanation> {
  const table = Object.hasOwn(TABLES, word) ? TABLES[word] : undefined;
  if (table) return table;
  const exit = EXIT_CODES.find((each) => String(each.exit) === word);
  if (exit) return { json: exit, lines: exitLines([exit]) };
  if (/^[1-5]\d\d$/.test(word)) {
    const status = await explainStatus(Number(word));
    return { json: status, lines: statusLines(status) };
  }
  const [code] = await explainCodes((each) => each === word);
  if (code) return { json: code, lines: codeLines(code) };
  throw new UsageError(`nothing is known of ${JSON.stringify(word)}`, nearestWord(word));
}

/** A code is often remembered by a part of it. */
function nearestWord(word: string): string {
  const containing = WORDS.filter((each) => word.length > 2 && each.includes(word));
  if (containing.length > 0) return oneOf(containing);
  return nearest(word, [...WORDS, ...ERRORS.map(({ status }) => String(status))]);
}
