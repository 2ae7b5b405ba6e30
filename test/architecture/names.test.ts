import { expect, test } from 'vitest';
import { parse, readSources, type Sources } from './sources.ts';

test('the source tree declares each exported name once', () => {
  expect(namesDeclaredTwice(readSources())).toEqual([]);
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
