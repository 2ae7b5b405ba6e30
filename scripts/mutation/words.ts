import { readFileSync } from 'node:fs';

/**
 * The last word about a mutant counts. `try`: it has ended the process, or made it useless. `live`: no
 * test has failed so far. `load`: it was reached outside of tests alone.
 */
export type Word = 'try' | 'kill' | 'live' | 'load';

/** What a log says of each mutant. */
export function readWords(log: string): Map<number, Word> {
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  return new Map(
    lines.map((line) => {
      const [word, mutant] = line.split(' ');
      return [Number(mutant), word as Word];
    }),
  );
}

export const isAlive = (word: Word | undefined): boolean => word !== 'kill' && word !== 'try';
