import type { Explained } from './explained.ts';
import type { ExplainedCode, ExplainedStatus, Reference, Term } from './others-forms.ts';

/*
 * The functions below return the blocks of a Markdown text: the reference page is made of them, and
 * what is printed is the same without the marks.
 */

/** The lines of such blocks without the marks of Markdown; examples stay as they are. */
export function plainLines(blocks: readonly string[]): string[] {
  const lines = blocks.join('\n\n').split('\n');
  return lines.map((line) => {
    if (line.startsWith(' ')) return line;
    const heading = /^(#+) (.*)/.exec(line);
    if (heading === null) return line.replaceAll('`', '');
    const [, marks = '', title = ''] = heading;
    return marks.length < 3 ? title.toUpperCase() : title;
  });
}

/** What can be explained, on one screen. */
export function indexBlocks(reference: Reference): string[] {
  const { errors, exit_codes, codes } = reference;
  const statuses = [...new Set(errors.map(({ status }) => status))].sort();
  const groups = [...new Set(codes.map(({ code }) => code.split('.')[0]))].sort();
  return [
    '## lectern explain WORD',
    listOf([
      '`limits`: the limits of the contract',
      '`errors`: what each HTTP status means',
      '`exit-codes`: what each exit code means',
      '`changes`: the changes of the contract',
      '`grades`: the exports of gradebooks that are recognised',
      '`json COMMAND`: the JSON Schema of what a command prints; `json` lists them',
      '`example grades`: a grade file for the example course',
      '`schema NAME`: the JSON Schema of a document, such as a seed; `schema` lists them',
      '`openapi`: the OpenAPI document of the service, or of the control API',
      '`programs`: what a script or an agent needs',
      '`capture`: what launch capture keeps and replaces',
      '`vary`: what the contract leaves open, and emulator start --vary chooses',
      '`all`: the whole reference',
      `an HTTP status: ${statuses.join(', ')}`,
      `an exit code: ${exit_codes.map(({ exit }) => exit).join(', ')}`,
      `a finding code, such as \`grade.score_range\`; they begin with ${groups.join(', ')}`,
      '`glossary`: the terms of lectern; or one of them, such as `before-image`',
    ]),
  ];
}

/** What `--vary` chooses of the contract's open points. */
export function freedomBlocks(freedoms: readonly Explained<'vary'>[]): string[] {
  return [
    '# What the contract leaves open',
    `\`emulator start --vary SEED\` and \`emulator exec --vary SEED -- COMMAND\` choose one value of each of these ${freedoms.length} points, always the same for the same number. A tool that passes ten seeds depends on nothing that the contract does not promise. Without the flag the first value is in force.`,
    'A name after a comma varies that point alone: `--vary 7,urls,envelope`. A range, as in `emulator exec --vary 1..10 -- npm test`, runs the command once for each number, and lists the exit code and the findings under each, and what the failing ones have in common.',
    ...freedoms.map(({ name, about, contract, reading, values }) =>
      [
        `## ${name}`,
        '',
        `${upperFirst(about)}: ${values.map((word) => `\`${word}\``).join(', ')}.`,
        '',
        contract,
        ...(reading === null ? [] : ['', `Reading: ${reading}`]),
      ].join('\n'),
    ),
  ];
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function termBlocks({ term, meaning }: Term): string[] {
  return [`### ${term}`, meaning];
}

export function referenceBlocks(reference: Reference): string[] {
  const { contract, limits, errors, exit_codes, changes, codes } = reference;
  return [
    '# Reference',
    `The limits and errors of contract ${contract}, and how lectern reports them. \`lectern explain all\` prints this page.`,
    ...limitBlocks(limits),
    ...errorBlocks(errors),
    ...exitBlocks(exit_codes),
    ...changeBlocks(changes),
    '## Finding codes',
    'An error is certainly refused by the service; a warning may be accepted. Each code has an example, its message and a hint.',
    ...codes.flatMap(codeBlocks),
  ];
}

export function limitBlocks(limits: readonly Explained<'limits'>[]): string[] {
  return [
    '## Limits',
    'The contract does not say whether KB and MB are 1000- or 1024-based. A size above the larger value is certainly refused; a size up to the smaller value is certainly accepted.',
    listOf(
      limits.map(({ limit, value, bytes, safe_bytes }) =>
        bytes === undefined
          ? `${limit}: ${value}`
          : `${limit}: ${value} (at most ${bytes} bytes; ${safe_bytes} bytes are safe)`,
      ),
    ),
  ];
}

export function errorBlocks(errors: readonly Explained<'errors'>[]): string[] {
  const statuses = [...new Set(errors.map(({ status }) => status))].sort();
  return [
    '## Errors',
    'What a status means in each part of the interface, and the exit code. A rejection by the LMS is not an HTTP error: it is a 200 with an attempt of status `failed` (exit 9).',
    ...statuses.flatMap((status) => [
      `### ${status}`,
      causes(errors.filter((row) => row.status === status)),
    ]),
  ];
}

function causes(errors: readonly Explained<'errors'>[]): string {
  const reading = '; not listed in the contract: this is how lectern reads it';
  return listOf(
    errors.map(
      (each) => `${each.area}: ${each.cause} (exit ${each.exit}${each.reading ? reading : ''})`,
    ),
  );
}

export function exitBlocks(exits: readonly Explained<'exit-codes'>[]): string[] {
  return ['## Exit codes', listOf(exits.map(({ exit, meaning }) => `${exit}: ${meaning}`))];
}

export function changeBlocks(changes: readonly Explained<'changes'>[]): string[] {
  return [
    '## Contract changes',
    'Newest first.',
    ...changes.flatMap((change) => [`### ${change.date}`, listOf(change.changes)]),
  ];
}

export function statusBlocks({ status, meaning, errors, codes }: ExplainedStatus): string[] {
  return [`## ${status}`, meaning ?? causes(errors), ...codes.flatMap(codeBlocks)];
}

export function codeBlocks(explained: ExplainedCode): string[] {
  const { code, severity, status, rule, example, message, hint } = explained;
  const answered = status === null ? '' : `, HTTP ${status}`;
  // The contract gives one refusal no message.
  const advice = [message, hint].filter((each) => each !== '').map((each) => `→ ${each}`);
  const lines = [...example.split('\n'), ...advice];
  return [
    `### ${code}`,
    `${severity}${answered}: ${rule}`,
    lines.map((line) => `    ${line}`).join('\n'),
  ];
}

/** What the export of each gradebook calls things, and the command that sends it. */
export function gradebookBlocks(gradebooks: readonly Explained<'grades'>[]): string[] {
  return [
    '## Exports of gradebooks',
    'An export is recognised by its columns. Without flags, `grade submit --from` prints the command line for the file at hand. The identifier must be the member; if it is another one, `--members FILE` has the member of each.',
    ...gradebooks.flatMap(({ gradebook, identifiers, score, maximum, no_grade, command }) => [
      `### ${gradebook}`,
      listOf([
        `identifier: ${identifiers.join(', ')}`,
        `score: ${score}`,
        `maximum: ${maximum}`,
        `no grade: ${no_grade}`,
      ]),
      `    ${command}`,
    ]),
  ];
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
