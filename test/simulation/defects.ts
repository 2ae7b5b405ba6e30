/** Defects that an engine could have, each made by what a process is given. They prove that the model can fail. */
import { NoAnswer, Refusal } from '../../src/client/index.ts';
import type { Disk } from '../../src/ports.ts';
import type { Ledger, RecordState, State } from '../../src/ledger/index.ts';
import { baselineAfter } from '../../src/transfer/sync.ts';
import type { Finish } from './syncs.ts';
import type { Parts } from './world.ts';

export type Engine = 'run' | 'row' | 'sync';
/** What a process is given, and for a defect at the end of a sync, that end. */
type Defect = ((parts: Parts) => Parts) & { readonly finish?: Finish };

const withLedger =
  (change: (ledger: Ledger) => Partial<Ledger>) =>
  (parts: Parts): Parts => ({
    ...parts,
    // The methods of a proxy, and those that differ.
    ledger: new Proxy(parts.ledger, {
      get: (target, name) => Reflect.get({ ...change(target) }, name) ?? Reflect.get(target, name),
    }),
  });

type Client = Parts['client'];
const withClient =
  (change: (client: Client) => Partial<Client>) =>
  (parts: Parts): Parts => ({
    ...parts,
    client: { ...parts.client, ...change(parts.client) },
  });

const finishing = (finish: Finish): Defect => Object.assign((parts: Parts) => parts, { finish });

const isLost = (error: unknown): boolean => error instanceof NoAnswer && error.inDoubt;

/** By engine and name. */
export const DEFECTS: Readonly<Record<Engine, Readonly<Record<string, Defect>>>> = {
  run: {
    'an intent is stored after the POST': withLedger((ledger) => {
      const late = new Map<number, Parameters<Ledger['intend']>[0]>();
      return {
        intend: async (intent) => {
          late.set(late.size, intent);
          return { id: late.size - 1 };
        },
        storeOutcome: async ({ id }, outcome) => {
          const intent = late.get(id);
          if (intent) await ledger.storeOutcome(await ledger.intend(intent), outcome);
        },
        withdraw: async () => {},
      };
    }),
    'an outcome is shown before its commit': withLedger((ledger) => ({
      storeOutcome: async (attempt, outcome) =>
        void ledger.storeOutcome(attempt, outcome).catch(() => {}),
    })),
    'a resume takes records in doubt': withLedger((ledger) => ({
      claimRun: (id, pid, wanted) => {
        const states: State[] = [...(wanted?.states ?? ['not_sent']), 'in_doubt'];
        return ledger.claimRun(id, pid, { ...wanted, states });
      },
    })),
    'the claim of a run is released early': withLedger((ledger) => ({
      claimRun: async (...args) => {
        const claim = await ledger.claimRun(...args);
        const pages = await all(claim.pages());
        await claim.release();
        return { ...claim, pages: () => streamOf(pages), more: async () => false };
      },
    })),
    'a lost answer counts as not sent': withLedger((ledger) => ({
      storeOutcome: (attempt, outcome) =>
        ledger.storeOutcome(
          attempt,
          outcome.kind === 'in_doubt' ? { kind: 'not_sent', reason: 'no answer' } : outcome,
        ),
    })),
    'a POST is sent again when its answer is lost': withClient((client) => ({
      submitGrade: (url, body) =>
        client.submitGrade(url, body).catch((error: unknown) => {
          if (!isLost(error)) throw error;
          return client.submitGrade(url, body);
        }),
    })),
    'a published grade is settled as not sent': withLedger((ledger) => ({
      settleDoubts: (id, settlements) =>
        ledger.settleDoubts(
          id,
          settlements.map((each) => ({ ...each, state: 'not_sent' as const })),
        ),
    })),
  },
  row: {
    'a previous version is stored after the write': withLedger((ledger) => {
      let kept: Parameters<Ledger['keepImage']>[0] | undefined;
      return {
        keepImage: async (image) => {
          kept = image;
          return 1;
        },
        setImageOutcome: async (_, outcome) => {
          if (kept) await ledger.setImageOutcome(await ledger.keepImage(kept), outcome);
        },
      };
    }),
    'a lost answer counts as not written': withLedger((ledger) => ({
      setImageOutcome: (id, outcome) =>
        ledger.setImageOutcome(id, outcome === 'written' ? 'not_done' : outcome),
    })),
    'a patch replaces the row': withClient((client) => {
      let read = '{}';
      return {
        readRow: async (url) => {
          const row = await client.readRow(url);
          read = row.text;
          return row;
        },
        patchRow: (url, body) => {
          const { patch } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as {
            patch: { path: string; value: unknown }[];
          };
          const row = JSON.parse(read) as Record<string, unknown>;
          for (const { path, value } of patch) row[path.slice(1)] = value;
          return client.putRow(url, Buffer.from(JSON.stringify(row)));
        },
      };
    }),
    'a write is sent again when its answer is lost': withClient((client) => ({
      putRow: (url, body) =>
        client.putRow(url, body).catch((error: unknown) => {
          if (!isLost(error) || error instanceof Refusal) throw error;
          return client.putRow(url, body);
        }),
    })),
  },
  sync: {
    'the baseline of a sync is from a second listing': finishing(async (sync, results) => {
      const { items } = await sync.fileSet.client.listFiles(sync.fileSet.url);
      const baseline = baselineAfter(sync, results);
      for (const { key, modified } of items) {
        const before = baseline.get(key);
        if (before) baseline.set(key, { ...before, remote: modified });
      }
      return baseline;
    }),
    'a download removes the file before it is replaced': (parts) => ({
      ...parts,
      disk: new Proxy(parts.disk, {
        get: (disk, name) => {
          if (name !== 'temporaryFile') return Reflect.get(disk, name) as unknown;
          return async (...args: Parameters<Disk['temporaryFile']>) => {
            const file = await disk.temporaryFile(...args);
            const moveTo = async (path: string): Promise<void> => {
              await disk.remove(path);
              await file.moveTo(path);
            };
            return new Proxy(file, {
              get: (of, member) => (member === 'moveTo' ? moveTo : Reflect.get(of, member)),
            });
          };
        },
      }),
    }),
  },
};

type Pages = AsyncIterable<readonly RecordState[]>;

async function all(pages: Pages): Promise<(readonly RecordState[])[]> {
  const list = [];
  for await (const page of pages) list.push(page);
  return list;
}

async function* streamOf(
  pages: readonly (readonly RecordState[])[],
): AsyncGenerator<readonly RecordState[]> {
  yield* pages;
}
