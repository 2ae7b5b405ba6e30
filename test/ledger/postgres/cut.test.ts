import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { claimed, intentFor, listOf, recorded, rowsOf, sealedRun } from '../support.ts';
import { newLedger, openShared, postgresOfFile } from './support.ts';

/** Where a line is cut: the statement does not arrive, or its answer does not. */
type Cut = 'before' | 'after';

/** A proxy in front of the server of a ledger. `cut` cuts at the next statement with a text, once. */
async function proxied(url: string) {
  const { port } = new URL(url);
  let next: { readonly text: string; readonly where: Cut } | undefined;
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    let isCut = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (chunk: Buffer) => {
      if (next && chunk.includes(next.text)) {
        const { where } = next;
        next = undefined;
        cuts += 1;
        if (where === 'before') return end();
        isCut = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (isCut) end();
      else client.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const through = new URL(url);
  through.port = String((server.address() as AddressInfo).port);
  const cut = (text: string, where: Cut): void => void (next = { text, where });
  return { url: through.href, cut, cuts: () => cuts };
}

describe.skipIf(NO_POSTGRES)(`a line that is cut ${NO_POSTGRES ?? ''}`, () => {
  const held = postgresOfFile();

  test.each(['before', 'after'] as const)(
    '%s the commit of an intent or an outcome repeats nothing and loses nothing',
    async (where) => {
      const direct = await newLedger(held);
      const { url, cut, cuts } = await proxied(direct);
      const ledger = await openShared(url);
      const run = await sealedRun(ledger, rowsOf(20));
      const claim = await ledger.claimRun(run.id, 1);
      for await (const row of claimed(claim)) {
        const { line, member, tries } = row;
        if (line === 3) cut('lectern_write', where);
        const id = await ledger.intend(intentFor(member, { run: run.id, line, tries }));
        if (line === 5) cut('lectern_write', where);
        await ledger.settle(id, recorded());
        claim.done(row);
      }
      cut('UPDATE lectern.parts', where);
      expect(await claim.more()).toBe(false);
      await claim.release();
      expect(cuts()).toBe(3);
      expect(await ledger.summary(run.id)).toMatchObject({ success: 20, inDoubt: 0, notSent: 0 });
      expect(await listOf(ledger.attempts({ run: run.id }))).toHaveLength(20);
      await expect.poll(() => ledger.shared?.waiting()).toBe(0);
    },
  );

  test('while a run is sealed leaves it whole, or not there', async () => {
    for (const where of ['before', 'after'] as const) {
      const { url, cut } = await proxied(await newLedger(held));
      const ledger = await openShared(url);
      const draft = await ledger.createRun({
        target: { url: 'https://service.example/m/{member}', origin: 'https://service.example' },
        credential: 'api_key',
        source: 'grades.csv',
        options: {},
      });
      await draft.addRows(rowsOf(5));
      cut('COMMIT', where);
      const sealed = await draft.seal('digest').catch(() => undefined);
      const runs = await ledger.runs();
      expect(runs.map(({ summary }) => summary.rows)).toEqual(sealed ? [5] : []);
      expect(sealed !== undefined).toBe(where === 'after');
    }
  });
});
