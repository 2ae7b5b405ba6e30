import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import * as fc from '../support/property.ts';
import { expect } from 'vitest';
import { createEmulator } from '../../src/emulator/index.ts';
import { launchOf } from '../emulator/subject.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Emulator');

/** A value in a cell of an export. */
interface Change {
  readonly table: number;
  readonly row: number;
  readonly column: number;
  readonly value: string | number | null;
}

/** An export with one changed cell, where its table has one that may have the value. */
function changedCell(whole: Uint8Array, { table, row, column, value }: Change): Uint8Array {
  const file = join(temporaryFolder(), 'export.db');
  writeFileSync(file, whole);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  const all = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const chosen = <Item>(items: readonly Item[], at: number): Item =>
    items[at % items.length] as Item;
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  const { name } = chosen(all<{ name: string }>(tables), table);
  const columns = `SELECT name, type = 'INTEGER' AND pk = 1 AS isRowid FROM pragma_table_info('${name}')`;
  const { name: changed, isRowid } = chosen(
    all<{ name: string; isRowid: number }>(columns),
    column,
  );
  // SQLite itself stores nothing but whole numbers there.
  const taken = isRowid ? 'coalesce(CAST(? AS INTEGER), 0)' : '?';
  const at = `rowid = (SELECT rowid FROM ${name} LIMIT 1 OFFSET ${row})`;
  database.prepare(`UPDATE OR IGNORE ${name} SET "${changed}" = ${taken} WHERE ${at}`).run(value);
  database.close();
  return readFileSync(file);
}

/** An emulator without a port, which answers as the one behind a port does. */
function inProcess() {
  const reports: unknown[] = [];
  const emulator = createEmulator({
    controlToken: 'control',
    report: (error) => reports.push(error),
  });
  const call = async (method: string, url: string, token: string, body?: string | Uint8Array) => {
    const isText = typeof body === 'string';
    const type = isText ? 'application/json' : 'application/vnd.sqlite3';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const answer = await emulator.fetch(
      new Request(url, { method, headers, ...(body !== undefined && { body }) }),
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, bytes, text: bytes.toString() };
  };
  const control = (operation: string, body?: string | Uint8Array) => {
    const [method = '', path = ''] = operation.split(' ');
    return call(method, `http://service.test/_emulator/${path}`, 'control', body);
  };
  return { emulator, call, control, reports };
}

const READS = [
  'GET state',
  'GET requests',
  'GET requests/captured',
  'GET report',
  'GET clock',
  'GET export',
  'GET export?redact=true',
];

hostile(
  {
    tried: 'imports of an export with one random change in a table',
    size: { short: 3, long: 3000 },
    limitMs: { short: 120_000, long: 600_000 },
  },
  async ({ size }) => {
    const { emulator, call, control, reports } = inProcess();
    const launch = launchOf(emulator.launch() as never);
    await call('PUT', launch.row('member'), launch.token, '{"a":[1,2]}');
    await call('POST', launch.submit, launch.token, '{"score":1}');
    await call('PUT', launch.file('member', 'pending'), launch.token, '{"size":3}');
    await control('POST lms', '{"slow_ms":0,"refuse":{"status":500},"location":"essay-2"}');
    await control('POST clock', '{"advance_seconds":60}');
    const { bytes: whole } = await control('GET export');
    const change = fc.record({
      table: fc.nat(),
      row: fc.nat({ max: 5 }),
      column: fc.nat(),
      value: fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.json(), fc.constant(null)),
    });
    await fc.assert(
      fc.asyncProperty(change, async (cell) => {
        const { status, text } = await control('POST import', changedCell(whole, cell));
        expect([200, 422], text).toContain(status);
        // Whatever was taken, nothing is answered with a defect afterwards.
        for (const [method, url, body] of [
          ['GET', launch.row('member')],
          ['PUT', launch.row('member'), '{"b":1}'],
          ['GET', launch.files('member')],
          ['PUT', launch.file('member', 'x'), '{"size":1}'],
          ['POST', launch.submit, '{"score":0.5}'],
        ] as const) {
          expect((await call(method, url, launch.token, body)).status).toBeLessThan(500);
        }
        for (const operation of READS) {
          expect((await control(operation)).status).toBe(200);
        }
        for (const operation of ['POST launch', 'POST provision-request', 'POST fixture']) {
          expect((await control(operation, '{}')).status).toBeLessThan(500);
        }
        expect((await control('POST import', whole)).status).toBe(200);
        expect((await call('GET', launch.row('member'), launch.token)).text).toBe('{"a":[1,2]}');
      }),
      { numRuns: size, endOnFailure: true },
    );
    expect(reports).toEqual([]);
    emulator.close();
  },
);
