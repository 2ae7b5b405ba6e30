import { array, assert, constantFrom, oneof, property, string, runs } from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { columnNames } from '../../src/cli/grade/bulk/options.ts';
import { Members } from '../../src/grades/members.ts';
import { type ReadingOptions, checkRecords } from '../../src/grades/checked-records.ts';
import { escapeFormula, unescapeFormula } from '../../src/grades/csv.ts';

interface Options extends Partial<ReadingOptions> {
  /** As `--map` is given, several behind each other. */
  readonly map?: string;
  /** Bytes a chunk; the whole text in one where it is left out. */
  readonly chunkBytes?: number;
  /** Called before each chunk. */
  readonly onChunk?: () => void;
}

/** What a file says: a line for each row that can be sent, `line member body`, and one for each finding. */
async function linesOf(text: string | Uint8Array, options: Options = {}): Promise<string[]> {
  const { map = '', chunkBytes = Infinity, onChunk = () => {}, ...reading } = options;
  const bytes = Buffer.from(text as string);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      onChunk();
      yield bytes.subarray(at, Math.min(bytes.length, at + chunkBytes));
    }
  };
  const lines: string[] = [];
  for await (const batch of checkRecords(chunks(), {
    names: columnNames(map.split(' ').filter(Boolean)),
    ...reading,
  })) {
    for (const { line, member, body } of batch.rows) lines.push(`${line} ${member} ${body}`);
    for (const { code, line, path } of batch.findings) lines.push(`${line} ${code} ${path}`.trim());
  }
  return lines;
}

describe('a row', () => {
  test.each<[string, string, string | string[], Options?]>([
    ['has a body', 'member,score\nm,0.5\n', '2 m {"score":0.5}'],
    ['may end without a line break', 'member,score\nm,0.5', '2 m {"score":0.5}'],
    [
      'may have all fields of a submission',
      'grading_progress,member,max_score,comment,score,activity_progress\nPending,m,50,well done,0.85,Submitted\n',
      [
        '2 m {"score":0.85,"max_score":50,"comment":"well done","activity_progress":"Submitted","grading_progress":"Pending"}',
      ],
    ],
    ['leaves out empty fields', 'member,score,max_score,comment\nm,1,,\n', '2 m {"score":1}'],
    [
      'may set its own maximum, or take the maximum of all rows',
      'member,points,max_score\na,42.5,50\nb,5,\n',
      [
        '2 a {"score":0.85,"max_score":50}',
        '3 b {"score":0.5,"max_score":10}',
        'null grades.max_score_mixed /max_score',
      ],
      { maxScore: 10 },
    ],
    [
      'with a score takes the maximum too',
      'member,score\na,0.85\n',
      '2 a {"score":0.85,"max_score":50}',
      { maxScore: 50 },
    ],
    [
      'may have numbers in any notation',
      'member,score\na,.5\nb,1.\nc,5e-1\nd, 0.5 \ne,+1\n',
      [
        '2 a {"score":0.5}',
        '3 b {"score":1}',
        '4 c {"score":0.5}',
        '5 d {"score":0.5}',
        '6 e {"score":1}',
      ],
    ],
    ['loses white space of cells', ' member , score \n m , 1 \n', '2 m {"score":1}'],
    [
      'keeps white space of a comment',
      'member,score,comment\nm,1, hm \n',
      '2 m {"score":1,"comment":" hm "}',
    ],
    [
      'loses one mark before a formula, and no other mark',
      `member,score,comment\n'-m,1,'=A1\nn,1,''=A1\no,1,'tis\n`,
      [
        '2 -m {"score":1,"comment":"=A1"}',
        `3 n {"score":1,"comment":"'=A1"}`,
        `4 o {"score":1,"comment":"'tis"}`,
      ],
    ],
    [
      'reports everything that is wrong with it',
      'member,score,max_score,activity_progress\n,200,0,Done\n',
      [
        '2 grades.member_missing /member',
        '2 grade.score_range /score',
        '2 grade.max_score_range /max_score',
        '2 grade.activity_progress /activity_progress',
      ],
    ],
    [
      'that is invalid can also be reported as a duplicate member',
      'member,score\na,0.5\na,2\na,0.12345678901234567890123\nb,x\nb,1\n..,1\n..,1\n',
      [
        '2 a {"score":0.5}',
        '6 b {"score":1}',
        '3 grade.score_range /score',
        '4 grades.lossy_number /score',
        '5 grades.not_number /score',
        '7 grade_url.member_invalid /member',
        '8 grade_url.member_invalid /member',
        '3 grades.member_twice /member',
        '4 grades.member_twice /member',
        '6 grades.member_twice /member',
      ],
    ],
    ['cannot be for ..', 'member,score\n..,1\n', '2 grade_url.member_invalid /member'],
  ])('%s', async (_, text, expected, options) => {
    expect(await linesOf(text, options)).toEqual([expected].flat());
  });
});

describe('a header', () => {
  test.each<[string, string, string | string[], Options?]>([
    [
      'may be renamed with --map',
      'id,pct\nm,1\n',
      '2 m {"score":1}',
      { map: 'id=member pct=score' },
    ],
    [
      'must have the columns of --map',
      'member,score\nm,1\n',
      '1 grades.column_missing',
      { map: 'id=comment' },
    ],
    [
      'cannot get a column twice',
      'member,id,score\nm,n,1\n',
      '1 grades.column_twice',
      { map: 'id=member' },
    ],
    [
      'may be of a report',
      'member,score,line,outcome,status,http,attempt,error\nm,1,7,recorded,failed,200,a,no\n',
      '2 m {"score":1}',
    ],
    ['may come after the delimiter', 'sep=:\nmember:score\nm:1\n', '3 m {"score":1}'],
    ['may come after empty lines', '\n\nmember,score\nm,1\n', '4 m {"score":1}'],
    [
      'with an unknown column does not hide errors in the records',
      'member,score,scor\nm,NaN,1\n,2,\nn,1,\nn,1,\n',
      [
        '4 n {"score":1}',
        '5 n {"score":1}',
        '1 grades.column_unknown',
        '2 grades.not_number /score',
        '3 grades.member_missing /member',
        '3 grade.score_range /score',
        '5 grades.member_twice /member',
      ],
    ],
    ['may be in quotes', '\ufeff"member","score"\nm,1\n', '2 m {"score":1}'],
    ['may have a delimiter', '"a,b,c";score\nm;1\n', '2 m {"score":1}', { map: 'a,b,c=member' }],
  ])('%s', async (_, text, expected, options) => {
    expect(await linesOf(text, options)).toEqual([expected].flat());
  });
});

describe('a line', () => {
  const header = 'member,score,comment\n';

  test.each<[string, string, number[]]>([
    [
      'has the number at which its row begins',
      'a,1,"x\ny\nz"\nb,1,\nc,1,"\n"\nd,1,\n',
      [2, 5, 6, 8],
    ],
    ['is also counted if it is empty', '\na,1,\n\n\nb,1,\n', [3, 6]],
    [
      'may end in any way, and in different ways in one file',
      'a,1,\r\nb,1,"x\r\ny"\r\nc,1,\nd,1,\re,1,\n',
      [2, 3, 5, 6, 7],
    ],
  ])('%s', async (_, rows, expected) => {
    const lines = (await linesOf(header + rows)).map((each) => Number(each.split(' ')[0]));
    expect(lines).toEqual(expected);
  });
});

describe('a file', () => {
  test('reads the same in chunks of any size', async () => {
    const text =
      '\ufeffmember;score;comment\r\n' +
      'ä1;0.5;"größer; ""viel"" §€"\r\n' +
      '\r\n' +
      'b2;many;x\r\nc3;1;"zwei\r\nZeilen 😀"\r\nc3;0;\r\nd4;0.25;';
    const whole = await linesOf(text);
    expect(whole).toEqual([
      '2 ä1 {"score":0.5,"comment":"größer; \\"viel\\" §€"}',
      '5 c3 {"score":1,"comment":"zwei\\r\\nZeilen 😀"}',
      '7 c3 {"score":0}',
      '4 grades.not_number /score',
      '8 d4 {"score":0.25}',
      '7 grades.member_twice /member',
    ]);
    for (const chunkBytes of [1, 2, 3, 7, 16]) {
      expect((await linesOf(text, { chunkBytes })).sort()).toEqual([...whole].sort());
    }
  });

  test.each<[string, string, string | string[], Options?]>([
    [
      'of JSON lines may have its fields renamed',
      '\ufeff{"id":"m","points":5}\n',
      '1 m {"score":0.5,"max_score":10}',
      { map: 'id=member', maxScore: 10 },
    ],
    [
      'of JSON lines must have the fields of --map',
      '{"member":"m"}\n',
      ['1 grades.ungraded /score', '1 grades.column_missing'],
      { map: 'id=comment' },
    ],
    [
      'of JSON lines keeps texts',
      `{"member":"m","score":1,"comment":"'=m"}\n`,
      `1 m {"score":1,"comment":"'=m"}`,
    ],
    [
      'of JSON lines reports wrong fields by their names',
      '{"member":"m","score":1,"scroe":1}\n{"member":"n","score":1,"score":0}\n{"member":"o","score":"1"}\n',
      ['1 grades.column_unknown', '2 grades.column_twice /score', '3 grades.not_number /score'],
    ],
    [
      'of JSON lines may be read for one value of a field',
      '{"member":"m","score":1,"task":"a"}\n{"member":"n","score":1,"task":"b"}\n',
      ['1 m {"score":1}'],
      { where: new Map([['task', 'a']]) },
    ],
    ['cannot be one JSON array', '[{"member":"m","score":1}]\n', '1 grades.not_object'],
    [
      'may have a NUL character',
      'member,score,comment\nm,1,a\0b\n',
      '2 m {"score":1,"comment":"a\\u0000b"}',
    ],
    ['with a header alone has no rows', 'member,score\n', []],
    [
      'can be reduced to the last grade of each member',
      'member,score\na,0\nb,1\na,1\n',
      ['2 a {"score":0}', '3 b {"score":1}', '4 a {"score":1}'],
      { lastWins: true },
    ],
  ])('%s', async (_, text, expected, options) => {
    expect(await linesOf(text, options)).toEqual([expected].flat());
  });

  test.each([
    'member,score,comment\nm,1,a\ufffdb\n',
    '{"member":"m","score":1,"comment":"a\ufffdb"}\n',
  ])('may contain U+FFFD itself: %j', async (text) => {
    const line = text.startsWith('{') ? 1 : 2;
    const read = [`${line} m {"score":1,"comment":"a\ufffdb"}`];
    for (const chunkBytes of [1, 2, 65_536]) {
      expect(await linesOf(text, { chunkBytes })).toEqual(read);
    }
  });

  test.each([
    ['a byte of Latin-1', Buffer.from('caf\xe9', 'latin1')],
    ['a Latin-1 byte next to U+FFFD', Buffer.concat([Buffer.from('\ufffd'), Buffer.from([0xe9])])],
    ['a character that is cut off', Buffer.from('€').subarray(0, 2)],
    ['an overlong encoding', Buffer.from([0xc0, 0xaf])],
  ])('is rejected if it contains %s', async (_, bytes) => {
    const text = Buffer.concat([
      Buffer.from('member,score,comment\nm,1,'),
      bytes,
      Buffer.from('\nn,1,€\n'),
    ]);
    for (const chunkBytes of [1, 3, 65_536]) {
      expect((await linesOf(text, { chunkBytes })).toSorted()).toEqual([
        '2 grades.encoding /comment',
        '3 n {"score":1,"comment":"€"}',
      ]);
    }
    const end = Buffer.concat([Buffer.from('member,score,comment\nm,1,'), bytes]);
    expect(await linesOf(end)).toEqual(['2 grades.encoding /comment']);
  });

  test.each(['utf-16le', 'utf-16be'])(
    'in %s reads the same in chunks of any size',
    async (name) => {
      for (const [start, line, map] of [
        ['\ufeff', 2, ''],
        ['\ufeffĀ', 2, 'Āmember=member'],
        ['', 2, ''],
        ['\n\n', 4, ''],
      ] as const) {
        const text = Buffer.from(`${start}member,score,comment\nm,1,Zoë 😀\n`, 'utf16le');
        const bytes = name === 'utf-16be' ? text.swap16() : text;
        for (const chunkBytes of [1, 3, 65_536]) {
          const read = [`${line} m {"score":1,"comment":"Zoë 😀"}`];
          expect(await linesOf(bytes, { chunkBytes, map })).toEqual(read);
        }
      }
    },
  );

  test('in UTF-16 with half a character is rejected', async () => {
    const text = Buffer.from('\ufeffmember,score,comment\nm,1,\ud83d\n', 'utf16le');
    expect(await linesOf(text)).toEqual(['2 grades.encoding /comment']);
  });

  test('with an unclosed quote is not read into memory completely', async () => {
    const rows = 'm,1,x\n'.repeat(1_000_000);
    // Of this thread alone: other tests run in the same process.
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = used();
    let most = 0;
    const options = { chunkBytes: 65_536, onChunk: () => (most = Math.max(most, used())) };
    expect(await linesOf(`member,score,comment\nm,1,"${rows}`, options)).toEqual([
      '2 grades.syntax',
    ]);
    expect(most - before).toBeLessThan(100_000_000);
  });
});

describe('a file over the limits', () => {
  const CHARACTERS = 4_194_304;

  test.each<[string, string, string[]]>([
    ['a header of 600,000 names', names(600_000, (each) => `n${each}`), ['1 grades.too_long']],
    [
      'a row of eight million empty cells',
      `member,score\nm,1\nn,1${','.repeat(8_000_000)}\no,1\n`,
      ['2 m {"score":1}', '3 grades.too_long'],
    ],
    [
      'a cell with too many characters',
      `member,score,comment\nm,1,${'x'.repeat(CHARACTERS)}\nn,1,\n`,
      ['2 grades.too_long'],
    ],
    [
      'a line of JSON with too many characters',
      `{"member":"m","score":1}\n{"member":"n","score":1,"x":"${'x'.repeat(CHARACTERS)}"}\n`,
      ['1 m {"score":1}', '2 grades.too_long'],
    ],
    [
      'a line of JSON with 300,000 names, before a correct line',
      `{"member":"m","score":1,${names(300_000, (each) => `"n${each}":1`)}}\n{"member":"n","score":1}\n`,
      ['2 n {"score":1}', '1 grades.too_long'],
    ],
  ])('with %s is reported with line and rule', async (_, text, expected) => {
    expect(await linesOf(text, { chunkBytes: 32_768 })).toEqual(expected);
  });

  test.each([['member,score\n', 'm,1\n']])(
    'with a million empty lines is read: %j … %j',
    async (before, after) => {
      const text = `${before}${'\n'.repeat(1_000_000)}${after}`;
      const line = 1_000_000 + (before + after).trim().split('\n').length;
      expect(await linesOf(text, { chunkBytes: 32_768 })).toEqual([`${line} m {"score":1}`]);
    },
  );

  test('with too many errors is not read further', async () => {
    const lines = await linesOf(`member,score\n${'m\n'.repeat(300_000)}`, { chunkBytes: 32_768 });
    const most = `member,score\nm,1\nm,1\nm,1\n${',1\n'.repeat(100_000)}`;
    expect(await linesOf(most)).toHaveLength(3 + 100_000 + 2);
    expect(lines.length).toBeGreaterThan(100_000);
    expect(lines.length).toBeLessThan(150_000);
    const last = lines.slice(-2).map((line) => line.replace(/^\d+ /, ''));
    expect(last).toEqual(['grades.cells', 'grades.too_many_faults']);
  });

  test('is reported with long names and members cut to fit the message', async () => {
    const long = 'x'.repeat(1_000_000);
    for (const text of [`member,${long}\n`, `member,score\n${long},1\n${long},1\n`]) {
      const source = (async function* () {
        yield Buffer.from(text);
      })();
      for await (const { findings } of checkRecords(source, { names: new Map() })) {
        for (const { message, hint } of findings) {
          expect(message.length + hint.length).toBeLessThan(500);
        }
      }
    }
  });

  function names(count: number, name: (index: number) => string): string {
    return Array.from({ length: count }, (_, index) => name(index)).join(',');
  }
});

test('columnNames rejects an unknown column, and suggests the nearest name', () => {
  expect(() => columnNames(['id=membre'])).toThrow('"membre" is not a column');
  expect(() => columnNames(['member'])).toThrow('is not valid');
});

test('two members are never confused', () => {
  const names = string({
    unit: constantFrom('a', 'A', 'b', ' ', 'é', '\u{1f393}', '"', '\\'),
    maxLength: 3,
  });
  assert(
    property(array(names, { maxLength: 300 }), (each) => {
      const repeated = [...new Set(each)]
        .map((member) => ({
          member,
          lines: each.flatMap((other, index) => (other === member ? [index + 2] : [])),
          others: [],
        }))
        .filter(({ lines }) => lines.length > 1);
      expect(inMembers(each, (members) => [...members.repeated()])).toEqual(repeated);
    }),
    runs(30),
  );
});

test('the only duplicate among a hundred thousand members is found', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `member-${(index * 7919) % 100_000}`);
  expect(inMembers(names, (members) => [...members.repeated()])).toEqual([]);
  const again = [...names, 'member-7919'];
  expect(inMembers(again, (members) => [...members.repeated()])).toEqual([
    { member: 'member-7919', lines: [3, 100_002], others: [] },
  ]);
});

/** What members at the lines 2, 3, … give. */
function inMembers<Result>(names: readonly string[], read: (members: Members) => Result): Result {
  const members = new Members();
  names.forEach((name, index) => members.add(name, index + 2));
  const result = read(members);
  members.close();
  return result;
}

test('a guarded text is no formula, and unguarding restores it', () => {
  const texts = oneof(
    string(),
    string({ unit: constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a', '＝') }),
  );
  assert(
    property(texts, (text) => {
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
      expect(escapeFormula(text)).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
    }),
  );
});
