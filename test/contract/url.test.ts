import { describe, expect, test } from 'vitest';
import { fileUrl, isLoopback, originOf, splitUrl, withoutQuery } from '../../src/contract/url.ts';

describe('splitUrl', () => {
  test.each([
    ['a plain URL', 'https://h/a/b?c=d', 'https://h', '/a/b', '?c=d'],
    ['an empty path before a query', 'https://h?q', 'https://h', '', '?q'],
    ['an empty query', 'https://h/a?', 'https://h', '/a', '?'],
    ['question marks in the query', 'https://h/a??b?c', 'https://h', '/a', '??b?c'],
    ['a fragment, which is never sent', 'https://h/a?b#c?d#e', 'https://h', '/a', '?b'],
    ['malformed escapes', 'https://h/%/%zz?%', 'https://h', '/%/%zz', '?%'],
    ['dot segments', 'https://h/a/../b/./..', 'https://h', '/a/../b/./..', ''],
    ['an at sign in the path', 'https://h/a@b', 'https://h', '/a@b', ''],
    [
      'a backslash in the path',
      String.raw`https://h/a\b?c\d`,
      'https://h',
      String.raw`/a\b`,
      String.raw`?c\d`,
    ],
  ])('keeps the path and the query unchanged: %s', (_name, url, origin, path, query) => {
    expect(splitUrl(url)).toEqual({ origin, path, query });
  });
});

describe('splitUrl', () => {
  test.each([
    ['HTTPS://EXAMPLE.Com/A', 'https://example.com'],
    ['https://h:443/', 'https://h'],
    ['http://h:443/', 'http://h:443'],
    ['https://h:80/', 'https://h:80'],
    ['https://h:08443/', 'https://h:8443'],
    ['https://[2001:DB8:0::1]:8443/a', 'https://[2001:db8::1]:8443'],
    ['http://0x7f.1/', 'http://127.0.0.1'],
  ])('normalizes the origin: %s', (url, origin) => {
    expect(originOf(url)).toBe(origin);
  });
});

describe('splitUrl', () => {
  const none = 'it is not an http or https URL';
  const odd = 'it contains a space, a control character or a non-ASCII character';
  const host = 'its host or port is malformed';
  const hidden = 'it has (hidden) in place of a secret';
  const filter = 'a mail filter put its own address there';

  test.each([
    ['nothing', '', none],
    ['a hidden secret', 'https://h/a?b=c&sig=(hidden)', hidden],
    ['a hidden secret, encoded', 'https://h/a?sig=%28hidden%29', hidden],
    ['an address of Safe Links', 'https://eur01.safelinks.protection.outlook.com/?url=x', filter],
    ['an address of Proofpoint', 'https://urldefense.com/v3/__https://h/a__;!!x$', filter],
    ['a host', 'example.com/a', none],
    ['another scheme', 'ftp://h/a', none],
    ['one slash after the scheme', 'https:/h/a', none],
    ['backslashes', String.raw`https:\\h\a`, none],
    ['no host', 'https://', none],
    // To some this is a path of h, to others the host is evil.example.
    ['a backslash after the host', String.raw`https://h\@evil.example/a`, none],
    ['a backslash as the first slash', String.raw`https://h\a`, none],
    ['a leading space', ' https://h/a', none],
    ['a space in the path', 'https://h/a b', odd],
    ['a tab in the host', 'https://h\tost/a', odd],
    ['a line feed in the path', 'https://h/a\nHost: evil', odd],
    ['a non-ASCII letter in the path', 'https://h/é', odd],
    ['a non-ASCII letter in the host', 'https://hé/', odd],
    ['a user', 'https://u@h/a', 'it contains a user name or password'],
    ['a user that looks like a host', 'https://h:443@evil/', 'it contains a user name or password'],
    ['a port over 65535', 'https://h:65536/', host],
    ['a port that is not a number', 'https://h:a/', host],
    ['an unclosed IPv6 address', 'https://[::1/', host],
    ['an IPv4 part over 255', 'https://1.2.3.256/', host],
  ])('explains why it rejects %s', (_name, url, fault) => {
    expect(splitUrl(url)).toEqual({ fault });
    expect(originOf(url)).toBeUndefined();
  });
});

describe('isLoopback', () => {
  test.each([
    ['http://localhost', true],
    ['https://LOCALHOST', true],
    ['http://127.0.0.1:3000', true],
    ['http://127.255.255.254', true],
    ['http://127.1', true],
    ['http://[::1]:3000', true],
    ['http://128.0.0.1', false],
    ['http://0.0.0.0', false],
    ['http://[::2]', false],
    ['http://127.0.0.1.example.com', false],
    ['http://localhost.example.com', false],
    ['http://mylocalhost', false],
  ])('of %s returns %s', (origin, expected) => {
    expect(isLoopback(origin)).toBe(expected);
  });
});

describe('fileUrl', () => {
  test.each([
    ['https://h/files/r1', 'a.txt', 'https://h/files/r1/a.txt'],
    ['https://h/files/r1?sig=a/b', 'a.txt', 'https://h/files/r1/a.txt?sig=a/b'],
    ['https://h/files/r1?', 'a', 'https://h/files/r1/a?'],
    ['https://h/files/r1#f', 'a', 'https://h/files/r1/a#f'],
    ['https://h/files/r1?q#f', 'a', 'https://h/files/r1/a?q#f'],
    // "<files URL>/<key>": the URL is opaque, so its last slash is its own.
    ['https://h/files/r1/', 'a', 'https://h/files/r1//a'],
    ['https://H:443/%2e%2e/../f', 'a', 'https://H:443/%2e%2e/../f/a'],
  ])('joins %s and %s', (url, key, expected) => {
    expect(fileUrl(url, key)).toBe(expected);
  });

  // Keys like these are invalid, but asking for one must not reach another address.
  test.each([
    ['a/b', 'a%2Fb'],
    ['../r2', '..%2Fr2'],
    ['a?b', 'a%3Fb'],
    ['%2e%2e', '%252e%252e'],
    ['é 😀', '%C3%A9%20%F0%9F%98%80'],
  ])('keeps the key %s in one segment', (key, segment) => {
    expect(fileUrl('https://h/f?s=1', key)).toBe(`https://h/f/${segment}?s=1`);
  });
});

describe('withoutQuery', () => {
  test.each([
    ['https://h/a?sig=secret', 'https://h/a'],
    ['https://h/a#secret', 'https://h/a'],
    ['https://h/a', 'https://h/a'],
    ['no url?secret', 'no url'],
  ])('of %j returns %j', (url, expected) => {
    expect(withoutQuery(url)).toBe(expected);
  });
});
