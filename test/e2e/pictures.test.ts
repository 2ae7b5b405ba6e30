import { readdirSync, readFileSync } from 'node:fs';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const PICTURES = readdirSync('docs/images').sort();
const of = (extension: string): string[] => PICTURES.filter((name) => name.endsWith(extension));
const read = (name: string): Buffer => readFileSync(`docs/images/${name}`);

test('the pictures of the docs are one recording and three to five console pages', () => {
  expect(of('.svg')).toEqual(['demo.svg']);
  expect(of('.png').length).toBeGreaterThanOrEqual(3);
  expect(of('.png').length).toBeLessThanOrEqual(5);
  expect(of('.svg').length + of('.png').length).toBe(PICTURES.length);
});

test('the recording is well-formed, has both colour schemes, and is smaller than 200 KB', () => {
  const bytes = read('demo.svg');
  expect(bytes.length).toBeLessThan(200_000);
  const names: string[] = [];
  const text: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => expect.fail(error.message));
  parser.on('opentag', ({ name }) => names.push(name));
  parser.on('text', (each) => text.push(each));
  parser.write(bytes.toString()).close();
  expect(names[0]).toBe('svg');
  // A page that shows it as an image runs no script and loads nothing.
  expect(names).not.toContain('script');
  expect(bytes.toString()).not.toMatch(/\b(href|src)=|url\((?!#)/);
  expect(text.join('')).toContain('prefers-color-scheme:dark');
  expect(text).toContain('$ lectern launch list');
});

test('the recording contains no folder names of a machine', () => {
  expect(read('demo.svg').toString()).not.toMatch(/\/(tmp|home|root|Users|work|var)\//);
});

test.for(of('.png'))('the picture %s is smaller than 150 KB', (name) => {
  const bytes = read(name);
  expect(bytes.subarray(0, 8).toString('hex')).toBe(PNG_SIGNATURE);
  expect(bytes.length).toBeLessThan(150_000);
});
