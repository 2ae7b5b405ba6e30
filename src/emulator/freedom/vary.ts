import { createHash } from 'node:crypto';
import { ANSWER_FREEDOMS } from './answers.ts';
import { BODY_FREEDOMS } from './bodies.ts';
import { CALL_FREEDOMS } from './calls.ts';
import { FILE_FREEDOMS } from './files.ts';
import type { Freedom, ValueOf } from './freedom.ts';
import { ID_FREEDOMS } from './ids.ts';
import { LAUNCH_FREEDOMS } from './launches.ts';
import { URL_FREEDOMS } from './urls.ts';

/** Everything that the contract leaves open and --vary chooses, by name. */
export const FREEDOMS = {
  ...URL_FREEDOMS,
  ...ID_FREEDOMS,
  ...ANSWER_FREEDOMS,
  ...LAUNCH_FREEDOMS,
  ...FILE_FREEDOMS,
  ...BODY_FREEDOMS,
  ...CALL_FREEDOMS,
};

type FreedomName = keyof typeof FREEDOMS;

/** The table as `lectern explain vary` lists it, with the names of the values. */
export function listedFreedoms() {
  return Object.entries<Freedom>(FREEDOMS).map(([name, { about, contract, reading, values }]) => ({
    name,
    about,
    contract,
    reading: reading ?? null,
    values: values.map(([word]) => word),
  }));
}

/** How an emulator differs from others: by a whole number, and only in these freedoms if there are any. */
export interface Vary {
  readonly seed: number;
  readonly only?: readonly string[];
}

/** As `--vary` takes it. */
export function varyText({ seed, only = [] }: Partial<Vary>): string {
  return [seed, ...only].join(',');
}

/** The value of each freedom that is in force. */
export type ChosenValues = { readonly [Name in FreedomName]: ValueOf<(typeof FREEDOMS)[Name]> };

/** The name of each value in force. */
export type Choices = Readonly<Record<FreedomName, string>>;

/** What a seed chooses of each freedom, always the same; without one, the first values. */
export function chosenBy(vary: Vary | undefined): { chosen: ChosenValues; choices: Choices } {
  const picked = Object.entries<Freedom>(FREEDOMS).map(([name, { values }]) => {
    const isFree = vary?.only === undefined || vary.only.includes(name);
    const at =
      vary !== undefined && isFree ? seededNumber(`${vary.seed} ${name}`) % values.length : 0;
    return [name, values[at] ?? values[0]] as const;
  });
  const chosen = Object.fromEntries(
    picked.map(([name, [, value]]) => [name, value]),
  ) as ChosenValues;
  const choices = Object.fromEntries(picked.map(([name, [word]]) => [name, word])) as Choices;
  return { chosen, choices };
}

/** A number of 32 bits, the same for the same text on every platform. */
export function seededNumber(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
