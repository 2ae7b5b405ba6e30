/** The mutants of a file, and its text with all of them. */
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

interface Place {
  readonly start: number;
  readonly end: number;
}

interface Operation extends Place {
  readonly left: Place;
  readonly operator: string;
  readonly right: Place;
}

/** An expression of a file, and what takes its place. */
export interface Mutant extends Place {
  readonly file: string;
  readonly text: string;
  /** For a reader, with its place. */
  readonly change: string;
}

/** Every mutant of a file; types, names of members and imports have none. */
export function mutantsOf(file: string): Mutant[] {
  const source = readFileSync(file, 'utf8');
  const mutants: Mutant[] = [];
  const textOf = ({ start, end }: Place): string => source.slice(start, end);
  const skipped = new Set<number>();
  const add = (place: Place, text: string, change = `${textOf(place)} -> ${text}`): void => {
    const { start, end } = place;
    const line = source.slice(0, start).split('\n').length;
    mutants.push({
      file,
      start,
      end,
      text,
      change: `${file}:${line}: ${change.replaceAll(/\s+/g, ' ')}`,
    });
  };
  const operator = (node: Operation): void => {
    const other = OPERATORS[node.operator];
    const between = source.slice(node.left.end, node.right.start);
    if (other === undefined) return;
    const text =
      source.slice(node.start, node.left.end) +
      between.replace(node.operator, other) +
      source.slice(node.right.start, node.end);
    add(node, text, `${textOf(node)}: ${node.operator} -> ${other}`);
  };
  const negate = ({ test }: { test: Place }): void => add(test, `!(${textOf(test)})`);
  new Visitor({
    BinaryExpression: operator,
    LogicalExpression: operator,
    IfStatement: negate,
    ConditionalExpression: negate,
    TSLiteralType: ({ literal }) => void skipped.add(literal.start),
    Property: ({ key, computed }) => void (computed || skipped.add(key.start)),
    Literal: (node) => {
      if (skipped.has(node.start)) return;
      if (typeof node.value === 'number') add(node, `(${textOf(node)} + 1)`);
      if (typeof node.value === 'boolean') add(node, String(!node.value));
    },
  }).visit(parseSync(file, source).program);
  return mutants;
}

/** The text of a file with all its mutants, each behind the switch with its number. */
export function withMutants(file: string, mutants: ReadonlyMap<number, Mutant>): string {
  const source = readFileSync(file, 'utf8');
  // The outer ones first.
  const places = [...mutants]
    .filter(([, mutant]) => mutant.file === file)
    .sort(([, a], [, b]) => a.start - b.start || b.end - a.end);
  const render = (start: number, end: number): string => {
    let text = '';
    let at = start;
    for (let next = places[0]; next && next[1].start < end; next = places[0]) {
      places.shift();
      const [number, mutant] = next;
      text += source.slice(at, mutant.start);
      text += `(__mutant(${number}) ? ${mutant.text} : ${render(mutant.start, mutant.end)})`;
      at = mutant.end;
    }
    return text + source.slice(at, end);
  };
  return `const __mutant = (number) => globalThis.lecternMutation?.mutant(number); ${render(0, source.length)}`;
}
