import { describe, expect, test } from 'vitest';
import { answerText } from '../../src/client/index.ts';

const textOf = (page: string): string => answerText(Buffer.from(page));

describe('answerText', () => {
  const pages: Readonly<Record<string, readonly [page: string, text: string]>> = {
    'title, heading and paragraph': [
      '<!doctype html><html><head><title>422 Unprocessable Content</title></head><body><h1>Unprocessable Content</h1><p>score must be between 0 and 1</p></body></html>',
      '422 Unprocessable Content: score must be between 0 and 1',
    ],
    'text as it is': ['<title>Error</title><pre>Cannot POST /</pre>', 'Error: Cannot POST /'],
    'text behind a style': ['<style>.a { color: <b> }</style>over quota', 'over quota'],
    Tomcat: [
      '<html><head><title>HTTP Status 400 – Bad Request</title></head><body><h1>HTTP Status 400 – Bad Request</h1><hr class="line" /><p><b>Type</b> Status Report</p><p><b>Message</b> score must be between 0 and 1</p></body></html>',
      'HTTP Status 400 – Bad Request: Type Status Report Message score must be between 0 and 1',
    ],
    nginx: [
      '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.25</center>\r\n</body>\r\n</html>',
      '502 Bad Gateway: nginx/1.25',
    ],
    'Apache, which closes no paragraph': [
      '<HTML><HEAD><TITLE>403 Forbidden</TITLE></HEAD><BODY><H1>Forbidden</H1><P>You may not do that.<HR></BODY></HTML>',
      '403 Forbidden: You may not do that.',
    ],
    'an object store': [
      '<?xml version="1.0" encoding="UTF-8"?><Error><Code>EntityTooLarge</Code><Message>Your proposed upload exceeds the maximum allowed size</Message><RequestId>1</RequestId></Error>',
      'EntityTooLarge: Your proposed upload exceeds the maximum allowed size',
    ],
    'an object store, in CDATA': [
      '<Error><Code>AccessDenied</Code><Message><![CDATA[Request has <expired>]]></Message></Error>',
      'AccessDenied: Request has <expired>',
    ],
    'a code alone': ['<Error><Code>SlowDown</Code></Error>', 'SlowDown'],
    'code in a sentence': [
      '<h1>Error</h1><p>the field <code>score</code> is <em>wrong</em></p>',
      'Error: the field score is wrong',
    ],
    'scripts and comments, which are not shown': [
      '<!-- <p>no</p> --><script>document.write("<p>no</p>")</script><title>Oops</title><p>yes</p><script>',
      'Oops: yes',
    ],
    'text alone': [
      '<html><body><div>quota <span>exceeded</span></div></body></html>',
      'quota exceeded',
    ],
    'half a tag': ['<Error', '<Error'],
    entities: [
      '<p>a &lt;b&gt; &amp;amp; &#x22;c&#34; &nbsp;&copy; &unknown; &#9999999;</p>',
      'a <b> &amp; "c" &copy; &unknown; &#9999999;',
    ],
  };
  for (const [name, [page, text]] of Object.entries(pages)) {
    test(`reads an error page: ${name}`, () => expect(textOf(page)).toBe(text));
  }

  test('cuts a long text to a readable length', () => {
    const text = textOf(`<p>${'word '.repeat(50_000)}</p>`);
    expect(text).toHaveLength(501);
    expect(text.endsWith('…')).toBe(true);
  });
});
