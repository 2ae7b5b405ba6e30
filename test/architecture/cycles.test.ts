import { describe, expect, test } from 'vitest';
import { type Import, importsOf, readSources } from './sources.ts';

describe('the source tree', () => {
  const imports = importsOf(readSources());

  test('has no import cycles', () => {
    expect(cycles(imports)).toEqual([]);
  });

  test('has no import cycles between folders, at any depth', () => {
    expect(cycles(betweenFolders(imports))).toEqual([]);
  });
});

test('the search reports a ring once, of files and of folders, whatever imports close it', () => {
  const search = (files: Record<string, string>, between = (all: Import[]) => all): string[] =>
    cycles(between(importsOf(new Map(Object.entries(files)))));
  const ring = {
    'src/client/a.ts': `import './b.ts'`,
    'src/client/b.ts': `export * from './c.ts'`,
    'src/client/c.ts': `import type { A } from './a.ts'; void import('./d.ts')`,
    'src/client/d.ts': '',
  };
  expect(search(ring)).toEqual(['src/client/a.ts → src/client/b.ts → src/client/c.ts']);
  const folders = {
    'src/client/a.ts': `import './inner/a.ts'`,
    'src/client/inner/b.ts': `import '../a.ts'`,
  };
  expect(search(folders)).toEqual([]);
  expect(search(folders, betweenFolders)).toEqual(['src/client/a.ts → src/client/inner']);
});

/**
 * Rings of imports, type-only and dynamic ones too: what is in a ring can only be understood, moved or
 * taken out whole. Each ring once, from its first file on.
 */
function cycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (!to?.startsWith('src/')) continue;
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const rings = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const ring = path.slice(start);
      const first = ring.indexOf(ring.toSorted()[0] ?? file);
      rings.add([...ring.slice(first), ...ring.slice(0, first)].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return [...rings];
}

/** Each import as one between the files or folders that lie beside each other on its way. */
function betweenFolders(imports: readonly Import[]): Import[] {
  return imports.flatMap(({ from, to, kind }) => {
    if (!to?.startsWith('src/')) return [];
    const [here, there] = [from.split('/'), to.split('/')];
    const depth = here.findIndex((name, index) => name !== there[index]) + 1;
    if (depth === 0) return [];
    return { from: here.slice(0, depth).join('/'), to: there.slice(0, depth).join('/'), kind };
  });
}
