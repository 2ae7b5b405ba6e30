import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { type Program, Visitor, parseSync } from 'oxc-parser';

export type Sources = ReadonlyMap<string, string>;
type ImportKind = 'static' | 'type' | 'dynamic';

export interface Import {
  readonly from: string;
  /** A file of the project, a package, or undefined when the specifier is not a plain string. */
  readonly to: string | undefined;
  readonly kind: ImportKind;
}

/** The text of each file of src, by its path. */
export function readSources(): Sources {
  const root = new URL('../../src/', import.meta.url);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .sort();
  return new Map(names.map((name) => [`src/${name}`, readFileSync(new URL(name, root), 'utf8')]));
}

export function parse(file: string, text: string): Program {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
  const { program, errors } = parseSync(file, text, { lang, sourceType: 'module' });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  return program;
}

/** All imports of the sources: static, type-only and dynamic ones. */
export function importsOf(sources: Sources): Import[] {
  const found: Import[] = [];
  for (const [from, text] of sources) {
    const add = (specifier: string | undefined, kind: ImportKind): void => {
      found.push({
        from,
        to: specifier === undefined ? undefined : resolve(from, specifier),
        kind,
      });
    };
    new Visitor({
      ImportDeclaration: (node) =>
        add(node.source.value, node.importKind === 'type' ? 'type' : 'static'),
      ExportAllDeclaration: (node) =>
        add(node.source.value, node.exportKind === 'type' ? 'type' : 'static'),
      ExportNamedDeclaration: (node) => {
        if (node.source) add(node.source.value, node.exportKind === 'type' ? 'type' : 'static');
      },
      TSImportType: (node) => add(node.source.value, 'type'),
      TSExternalModuleReference: (node) => add(node.expression.value, 'static'),
      ImportExpression: ({ source }) =>
        add(
          source.type === 'Literal' && typeof source.value === 'string' ? source.value : undefined,
          'dynamic',
        ),
    }).visit(parse(from, text));
  }
  return found;
}

/** The file that a relative specifier names; a package's name as it is, our own as src/index.ts. */
function resolve(from: string, specifier: string): string {
  if (specifier === 'lectern' || specifier.startsWith('lectern/')) return 'src/index.ts';
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}
