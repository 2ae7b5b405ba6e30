import { expect } from 'vitest';
import type { Finding } from '../../src/validator/index.ts';

/** Codes with their paths, as the tables write them: `row.too_large` or `body.lossy_number /a/0`. */
export const brief = (findings: readonly Finding[]): string[] =>
  findings.map(({ code, path }) => `${code} ${path}`.trimEnd());

/** Every finding is whole: no figure is missing in its words, and its place is a place. */
export function expectWhole(findings: readonly Finding[]): void {
  for (const { message, rule, hint, severity, line, column } of findings) {
    expect(`${message}|${rule}|${hint}`).toMatch(/\w.*\|.*\w.*\|.*\w/s);
    expect(`${message}|${rule}|${hint}`).not.toMatch(/undefined|\[object|\$\{|NaN %/);
    expect(['error', 'warning', 'note']).toContain(severity);
    expect((line === null) === (column === null)).toBe(true);
    if (line !== null) expect(line).toBeGreaterThan(0);
  }
}
