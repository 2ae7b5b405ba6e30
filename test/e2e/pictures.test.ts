import { readdirSync, readFileSync } from 'node:fs';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';

const NAMES = readdirSync('docs/images').sort();
const read = (name: string): Buffer => readFileSync(`docs/images/${name}`);

test('the pictures of the docs are one recording and three to five small console pages', () => {
  const pages = NAMES.filter((name) => name !== 'demo.svg');
  expect([NAMES.length - pages.length, [3, 4, 5].includes(pages.length)]).toEqual([1, true]);
  const isSmallPng = (name: string): boolean =>
    read(name).subarray(1, 4).toString() === 'PNG' && read(name).length < 150_000;
  expect(pages.filter((name) => !isSmallPng(name))).toEqual([]);
});

test('the recording is well-formed, has both colour schemes, and no folder names of a machine', () => {
  const picture = read('demo.svg').toString();
  expect(picture.length).toBeLessThan(200_000);
  const names: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => expect.fail(error.message));
  parser.on('opentag', ({ name }) => names.push(name));
  parser.write(picture).close();
  // A page that shows it as an image runs no script and loads nothing.
  expect([names[0], names.includes('script')]).toEqual(['svg', false]);
  expect(picture).not.toMatch(/\b(href|src)=|url\((?!#)|\/(tmp|home|root|Users|work|var)\//);
  expect(picture).toContain('prefers-color-scheme:dark');
});
