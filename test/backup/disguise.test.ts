import { describe, expect, test } from 'vitest';
import { disguiseJson, disguiseWith } from '../../src/backup/disguise.ts';
import { compactJson, parseJson } from '../../src/json/index.ts';

const disguise = disguiseWith('salt');

describe('the disguise of a text', () => {
  test.each([
    {
      name: 'letters and digits',
      text: 'Ada Lovelace, 1815',
      form: /^[A-Z][a-z]{2} [A-Z][a-z]{7}, \d{4}$/,
    },
    { name: 'accents', text: 'Éloïse', form: /^[À-Õ][a-z]{2}[à-õ][a-z]{2}$/ },
    { name: 'other scripts', text: '漢字 Ж', form: /^[一-鿿]{2} [À-õ]$/ },
    { name: 'letters beyond the basic plane', text: '𝒜', form: /^[\u{20000}-\u{21000}]$/u },
    { name: 'punctuation', text: '{"a\\": 😀}', form: /^\{"[a-z]\\": 😀\}$/u },
    { name: 'nothing', text: '', form: /^$/ },
  ])('keeps length, bytes and kinds: $name', ({ text, form }) => {
    const changed = disguise(text);
    expect(changed).toMatch(form);
    expect(changed.length).toBe(text.length);
    expect(Buffer.byteLength(changed)).toBe(Buffer.byteLength(text));
  });

  test('is the same for the same text and salt, and another for another salt', () => {
    expect(disguise('member-1')).toBe(disguiseWith('salt')('member-1'));
    expect(disguise('member-1')).not.toBe(disguiseWith('pepper')('member-1'));
  });
});

test('the disguise of JSON keeps names, structure, literals and the form of numbers', () => {
  const text = '{"Ada":["Ada",true,null,0,-12.50e3,0.85,9007199254740993]}';
  const changed = compactJson(disguiseJson(parseJson(text).value, disguise));
  expect(changed).toMatch(
    /^\{"Ada":\["[A-Z][a-z]{2}",true,null,0,-[1-9]\d\.\d{2}e3,0\.\d{2},[1-9]\d{15}\]\}$/,
  );
  expect(changed).not.toContain('["Ada"');
});
