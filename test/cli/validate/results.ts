import { expect } from 'vitest';
import { type Code, CODES } from '../../../src/contract/index.ts';
import type { Finding } from '../../../src/validator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { type Expected, type Given, jsonOf, step } from '../../support/steps.ts';

/** What `validate … --json` prints for one payload. */
export interface Result {
  readonly source: string;
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Runs `validate --json …` in a folder of its own. `found` are the codes of each payload: 3, if
 * one of them is an error, unless another exit code is given.
 */
export async function validate(
  line: string,
  { found, ...given }: Given & Expected & { readonly found?: readonly (readonly Code[])[] } = {},
): Promise<Result[]> {
  const exit = found?.flat().some((code) => CODES[code].severity === 'error') ? 3 : 0;
  const cwd = temporaryFolder();
  const results = jsonOf(
    await step(`validate --json ${line}`, { cwd, exit, ...given }),
  ) as Result[];
  const codes = results.map(({ findings }) => findings.map(({ code }) => code));
  if (found !== undefined) expect(codes, line).toEqual(found);
  return results;
}
