import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, readSources, type Sources } from './sources.ts';

describe('the source tree', () => {
  const sources = readSources();

  test('declares each exported name once', () => {
    expect(namesDeclaredTwice(sources)).toEqual([]);
  });

  test('has at most twelve files in a folder of the ledger', () => {
    expect(fullFolders(sources)).toEqual([]);
  });
});

describe('the search for names that are declared twice', () => {
  test.each([
    ['export class Report {}', 'export interface Report {}'],
    ['export const report = 1, other = 2;', 'export function report() {}'],
  ])('reports %s beside %s', (one, other) => {
    const [found, ...more] = check({ 'src/client/a.ts': one, 'src/cli/b.ts': other });
    expect(found).toMatch(/^[Rr]eport is declared in src\/client\/a\.ts, src\/cli\/b\.ts$/);
    expect(more).toEqual([]);
  });

  test('accepts commands of the same name under two nouns', () => {
    const verb = 'export async function runList() {}';
    expect(check({ 'src/cli/key/list.ts': verb, 'src/cli/launch/list.ts': verb })).toEqual([]);
    expect(check({ 'src/cli/key/list.ts': verb, 'src/grades/list.ts': verb })).toEqual([]);
    expect(check({ 'src/rows/list.ts': verb, 'src/grades/list.ts': verb })).toHaveLength(1);
  });

  function check(files: Record<string, string>): string[] {
    return namesDeclaredTwice(new Map(Object.entries(files)));
  }
});

/** Names that more than one file declares and exports. */
function namesDeclaredTwice(sources: Sources): string[] {
  const files = new Map<string, string[]>();
  for (const [file, text] of sources) {
    for (const name of new Set(exportedNames(file, text))) {
      if (isOwnName(file, name)) continue;
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return [...files]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${name} is declared in ${found.join(', ')}`);
}

function exportedNames(file: string, text: string): string[] {
  const names: string[] = [];
  for (const statement of parse(file, text).body) {
    if (statement.type !== 'ExportNamedDeclaration' || !statement.declaration) continue;
    const { declaration } = statement;
    if ('declarations' in declaration) {
      for (const { id } of declaration.declarations) if ('name' in id) names.push(id.name);
    } else if (declaration.id && 'name' in declaration.id) names.push(declaration.id.name);
  }
  return names;
}

/** Names that may be those of other files too, since few files can take one for the other. */
function isOwnName(file: string, name: string): boolean {
  // A verb is imported by the registration of its noun alone, a registration by the program alone.
  if (file.startsWith('src/cli/') && /^(register$|run[A-Z])/.test(name)) return true;
  // The console imports no other code, but uses the same names for what it shows.
  if (file.startsWith('src/console/')) return true;
  // The operations of the control API, which only its own table names.
  if (file.startsWith('src/emulator/control/') && /^(Operation|writeRow)$/.test(name)) return true;
  // The building blocks of forms, read as a language of their own.
  return file === 'src/cli/output/forms.ts';
}

const MOST_FILES = 12;

/** The folders of the ledger with many files. */
function fullFolders(sources: Sources): string[] {
  const counts = new Map<string, number>();
  for (const file of sources.keys()) {
    const folder = posix.dirname(file);
    if (/^src\/ledger(\/|$)/.test(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder} has ${count} files`);
}
