import { matches } from '../../schema/check.ts';
import * as s from '../../schema/schema.ts';
import { type EndReason, INSTANT_MS } from '../state/records.ts';
import { EXCHANGE, type AddressKind } from './exchange.ts';
import { parsed } from './parsed.ts';

const FLAG = s.oneOf(0, 1);
const TEXT = s.nullable(s.text);
/** JSON of a list, in a text. */
const listOf = (item: s.Schema): s.Schema<string> => {
  const list = s.list(item);
  return s.checked((text) => matches(list, parsed(Buffer.from(text))), 'a JSON list', 'of texts');
};
const TEXTS = s.nullable(listOf(s.text));
const FIELDS = listOf(s.list(s.text, 2));
const { origin, method, path, about, member, credential, caller, fault } = EXCHANGE;

/**
 * The columns of an exchange: what a list shows of it, and the facts that the rules of the report
 * need. None has a secret. A proxy fills in what it knows of a service, and null for the rest.
 */
const COLUMNS = {
  number: s.count,
  at: s.described(INSTANT_MS, "when it was answered, by the emulator's clock in ms"),
  started: s.described(INSTANT_MS, "when it came, by the machine's clock in ms"),
  begun: s.described(s.anyNumber, 'the same by a clock that is never set, to order exchanges'),
  ms: s.anyNumber,
  moved: s.described(
    s.anyNumber,
    "when the emulator's clock was last moved, by the machine's; or 0",
  ),
  origin,
  method,
  path,
  place: s.typed<AddressKind>(s.text),
  about,
  member,
  credential,
  launch: s.described(TEXT, 'the ID of the launch or of the provision request'),
  caller,
  tool: s.described(TEXT, 'the tool of the launch or of the API key'),
  by_lectern: FLAG,
  status: s.described(s.count, '0 if the connection was closed without a response'),
  bytes: s.count,
  error: TEXT,
  failure: TEXT,
  fault,
  trouble: s.described(TEXT, 'what chaos did to it'),
  judged: s.described(FLAG, 'whether a tool made it, not the console'),
  processed: s.described(FLAG, 'whether the service handled it: an injected response is not its'),
  lost: s.described(FLAG, 'whether the caller got no response, or a part of one'),
  outcome: s.described(TEXT, 'the code of a refusal, or the situation that the response shows'),
  ended: s.described(s.typed<EndReason | null>(TEXT), "why the caller's token was refused"),
  framed: s.described(FLAG, 'whether that call came from the frame of a hosted tool'),
  stray: s.described(FLAG, 'whether its token looks like one of an emulator, but is none of this'),
  leaks: s.described(FLAG, 'whether its URL has a token in it'),
  legacy: s.described(FLAG, 'whether its body is that of the removed grade submission'),
  address: s.described(TEXT, "an address that is not of the caller's own launch"),
  segments: s.described(TEXT, 'the segments in which it differs from that'),
  untyped: s.described(TEXT, "the type of a JSON body that is not sent as JSON; '' if none"),
  unnamed: s.described(TEXTS, 'JSON list of members of a grade that the contract does not name'),
  row: s.described(TEXT, 'the row that was written, or read by somebody who may write it'),
  first: s.described(FLAG, 'whether the row had never been written before'),
  size: s.described(s.nullable(s.count), 'bytes of the row after a write'),
  wrote: s.described(TEXTS, 'JSON list of pointers to what a write changed in a row'),
  dropped: s.described(TEXTS, 'JSON list of pointers to what it removed'),
  meanwhile: s.described(TEXT, 'a pointer that another session wrote after this read'),
  location: s.described(TEXT, 'of a grade'),
  digest: s.described(TEXT, 'a hash of the body of a grade or a patch'),
  file: s.described(TEXT, 'the file that was declared, deleted or uploaded: row/key'),
  form: s.described(TEXT, 'a hash of the signed form or address that was declared or failed'),
  expired: s.described(FLAG, 'whether that had expired'),
};

const STORED_EXCHANGE = s.object(COLUMNS);
export type StoredExchange = s.Static<typeof STORED_EXCHANGE>;

const STORED_WHOLE = s.object({
  number: s.count,
  request: s.described(FIELDS, 'JSON list of names and values'),
  response: FIELDS,
  sent: s.described(TEXT, 'the beginning of a body; null if it is not text, or was dropped'),
  sent_bytes: s.described(s.nullable(s.count), 'of the whole body; null if it was streamed'),
  answered: TEXT,
  answered_bytes: s.nullable(s.count),
  exact: s.described(FLAG, 'whether nothing but credentials was redacted in the request'),
  bytes: s.described(s.count, 'of both bodies'),
  dropped: s.described(FLAG, 'whether the bodies were dropped for later requests'),
});
export type StoredWhole = s.Static<typeof STORED_WHOLE>;

/** The situations of a launch, or of a tool's API key, at its first call. */
const CALLER = s.object({ caller: s.text, hosted: FLAG, situations: listOf(s.text) });

/** The number of the last exchange, and of the last before a reset; how many were not stored, and why. */
const COUNTS = s.object({ ...s.counts('last', 'before', 'missed'), why: s.text });
export type Counts = s.Static<typeof COUNTS>;

/** The tables of exchanges; `addresses` were handed out without a launch. */
export const TRAFFIC_TABLES = {
  exchanges: STORED_EXCHANGE,
  wholes: STORED_WHOLE,
  callers: CALLER,
  addresses: s.object(s.texts('address')),
  counts: COUNTS,
};

/** The columns after the number. */
export const FACT_NAMES = Object.keys(COLUMNS).slice(1) as Exclude<
  keyof StoredExchange,
  'number'
>[];

/** The conditions of indexes, which a query must repeat: of addresses that are no API, files, trouble. */
export const ELSEWHERE = "place IN ('unknown', 'signed')";
export const OF_FILES = "(file IS NOT NULL OR form IS NOT NULL OR place = 'signed')";
export const OF_TROUBLE = '(status = 0 OR status >= 500 OR lost OR trouble IS NOT NULL)';

export const TRAFFIC_SCHEMA = `
  CREATE TABLE exchanges (number INTEGER PRIMARY KEY, ${FACT_NAMES.join(', ')});
  CREATE INDEX outcomes ON exchanges (outcome) WHERE outcome IS NOT NULL;
  CREATE INDEX troubled ON exchanges (number) WHERE ${OF_TROUBLE};
  CREATE INDEX elsewhere ON exchanges (place) WHERE ${ELSEWHERE};
  CREATE INDEX not_own ON exchanges (address, segments) WHERE address IS NOT NULL;
  CREATE INDEX of_grades ON exchanges (location, member, number) WHERE location IS NOT NULL;
  CREATE INDEX of_rows ON exchanges (row, number) WHERE row IS NOT NULL;
  CREATE INDEX of_files ON exchanges (number) WHERE ${OF_FILES};
  CREATE INDEX ends ON exchanges (ended) WHERE ended IS NOT NULL;
  CREATE INDEX provisions ON exchanges (launch) WHERE credential = 'provision_token';
  CREATE INDEX not_judged ON exchanges (number) WHERE NOT judged;
  CREATE INDEX odd ON exchanges (number) WHERE untyped IS NOT NULL OR unnamed IS NOT NULL;
  CREATE TABLE wholes (
    number INTEGER PRIMARY KEY, request, response, sent, sent_bytes, answered, answered_bytes,
    exact, bytes, dropped DEFAULT 0
  );
  CREATE TABLE callers (caller PRIMARY KEY, hosted, situations);
  CREATE TABLE addresses (address PRIMARY KEY);
  CREATE TABLE counts (last, before, missed, why);
`;
