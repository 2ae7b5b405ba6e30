import { SaxesParser } from 'saxes';

export interface JunitTestCase {
  readonly name: string;
  readonly classname: string;
  readonly file: string | undefined;
  /** The attributes and the text of its failure. */
  readonly failure: { message: string; type: string; text: string } | undefined;
  readonly output: string | undefined;
}

/** Reads a JUnit report strictly: throws where it is no XML, or its counts are not those of its cases. */
export function readJunit(xml: string): { suite: string; cases: JunitTestCase[] } {
  const cases: { -readonly [Name in keyof JunitTestCase]: JunitTestCase[Name] }[] = [];
  const counts: Record<string, string>[] = [];
  const open: string[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const given = attributes as Record<string, string>;
    const parent = open.at(-1) ?? '';
    if (!PARENTS[name]?.includes(parent)) throw new Error(`<${name}> is in <${parent}>`);
    open.push(name);
    if (name.startsWith('testsuite')) counts.push(given);
    const last = cases.at(-1);
    if (name === 'testcase') {
      const { name: title = '', classname = '', file } = given;
      cases.push({ name: title, classname, file, failure: undefined, output: undefined });
    } else if (name === 'failure' && last) {
      if (last.failure) throw new Error('a case has two failures');
      const { message = '', type = '' } = given;
      last.failure = { message, type, text: '' };
    } else if (name === 'system-out' && last) last.output = '';
  });
  parser.on('text', (text) => {
    const last = cases.at(-1);
    if (open.at(-1) === 'failure' && last?.failure) last.failure.text += text;
    else if (open.at(-1) === 'system-out' && last) last.output += text;
    else if (text.trim() !== '') throw new Error(`text in <${open.at(-1)}>: ${text}`);
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  const failures = cases.filter(({ failure }) => failure).length;
  for (const { tests, failures: failed, errors } of counts) {
    if (`${tests} ${failed} ${errors}` === `${cases.length} ${failures} 0`) continue;
    throw new Error(`the counts ${tests}, ${failed}, ${errors} are not those of the cases`);
  }
  return { suite: counts[1]?.name ?? '', cases };
}

/** What each element may be in. */
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  testsuites: [''],
  testsuite: ['testsuites'],
  testcase: ['testsuite'],
  failure: ['testcase'],
  'system-out': ['testcase'],
};
