import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Line } from './figure.ts';
import type { Bench } from './main.ts';
import { at, line } from './processes.ts';

const ONCE = at('diff-once.js');
const run = promisify(execFile);
const PAIRS = 21;

/** Patches and validation of rows of 1 MB, each measured once in a process of its own. */
export const diff: Bench = (lines, folder) => lines(linesIn(folder));

function linesIn(folder: string): Line[] {
  const textFile = (name: string, text: string): string => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    return path;
  };
  const file = (name: string, content: unknown): string => textFile(name, JSON.stringify(content));
  const row = students(4_600);
  const [before, few, many] = [
    file('before', row),
    file('few', changed(row, 50)),
    file('many', changed(row, 5_000)),
  ] as const;
  const escaped = textFile('escaped', inEscapes(row, 1_000_000));
  const ratio = (name: string, atMost: number, [own, base]: [string, string], files: string[]) =>
    line(
      { name, goal: { atMost }, pairs: PAIRS },
      () => milliseconds([own, ...files]),
      () => milliseconds([base, ...files]),
    );
  const patch = (changes: string, atMost: number, after: string): Line => {
    const name = `patch of ${changes} changes / fast-json-patch compare`;
    return ratio(name, atMost, ['diff', 'compare'], [before, after]);
  };
  const validation = (what: string, path: string): Line =>
    ratio(`validation of ${what} / JSON.parse of it`, 3.3, ['validate', 'parse'], [path]);
  return [
    patch('50', 1, few),
    patch('5,000', 1.5, many),
    validation('a row', before),
    validation('a row of \\u escapes', escaped),
  ];
}

async function milliseconds(args: readonly string[]): Promise<number> {
  const { stdout } = await run(process.execPath, [ONCE, ...args]);
  return Number(stdout);
}

interface Student {
  score: number;
  tries: number;
  done: boolean;
  note: string;
  answers: { question: number; answer: string; right: boolean }[];
}

/** What a tool keeps of its students in the row of a course. */
function students(count: number): Record<string, Student> {
  const random = sequence();
  const student = (): Student => ({
    score: random(1000) / 1000,
    tries: random(5),
    done: random(2) === 0,
    note: `seen on day ${random(365)}, ${random(90)} minutes`,
    answers: Array.from({ length: 3 }, (_, question) => ({
      question,
      answer: 'abcd'.charAt(random(4)),
      right: random(2) === 0,
    })),
  });
  return Object.fromEntries(
    Array.from({ length: count }, (_, id) => [`m-${100_000 + id}`, student()]),
  );
}

/** A row of about this many characters whose texts, notes of the students, are all written as escapes. */
function inEscapes(row: Record<string, Student>, characters: number): string {
  const members: string[] = [];
  const all = Object.values(row);
  for (let length = 0; length < characters; length += (members.at(-1) as string).length) {
    const first = (30 * members.length) % (all.length - 30);
    const notes = all.slice(first, first + 30);
    const codes = [...notes.map(({ note }) => note).join('; ')].map((character) =>
      character.charCodeAt(0).toString(16).padStart(4, '0'),
    );
    members.push(`"${members.length}":"${codes.map((code) => `\\u${code}`).join('')}"`);
  }
  return `{${members.join(',')}}`;
}

/** The row with that many values changed, here and there. */
function changed(row: Record<string, Student>, count: number): Record<string, Student> {
  const copy = structuredClone(row);
  const random = sequence();
  const all = Object.values(copy);
  for (let change = 0; change < count; change += 1) {
    const student = all[random(all.length)] as Student;
    if (change % 2 === 0) student.tries += 5;
    else (student.answers[random(3)] as { answer: string }).answer += 'x';
  }
  return copy;
}

/** Numbers that look random and are the same in every run. */
function sequence(): (below: number) => number {
  let state = 42;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
