/** Defects that an engine could have, each made by what a process is given. They prove that the model can fail. */
import { NoAnswer, Refusal } from '../../src/client/index.ts';
import type { Ledger, RecordState, State } from '../../src/ledger/index.ts';
import type { Parts } from './world.ts';

interface Defect {
  readonly name: string;
  readonly engine: 'run' | 'row';
  readonly defect: (parts: Parts) => Parts;
}

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

const isLost = (error: unknown): boolean => error instanceof NoAnswer && error.inDoubt;

export const DEFECTS: readonly Defect[] = [
  {
    name: 'an intent is stored after the POST',
    engine: 'run',
    defect: withLedger((ledger) => {
      const late = new Map<number, Parameters<Ledger['intend']>[0]>();
      return {
        intend: async (intent) => {
          late.set(late.size, intent);
          return { id: late.size - 1 };
        },
        settle: async ({ id }, outcome) => {
          const intent = late.get(id);
          if (intent) await ledger.settle(await ledger.intend(intent), outcome);
        },
        withdraw: async () => {},
      };
    }),
  },
  {
    name: 'an outcome is shown before its commit',
    engine: 'run',
    defect: withLedger((ledger) => ({
      settle: async (attempt, outcome) => void ledger.settle(attempt, outcome).catch(() => {}),
    })),
  },
  {
    name: 'a resume takes records in doubt',
    engine: 'run',
    defect: withLedger((ledger) => ({
      claimRun: (id, pid, wanted) => {
        const states: State[] = [...(wanted?.states ?? ['not_sent']), 'in_doubt'];
        return ledger.claimRun(id, pid, { ...wanted, states });
      },
    })),
  },
  {
    name: 'the claim of a run is released early',
    engine: 'run',
    defect: withLedger((ledger) => ({
      claimRun: async (...args) => {
        const claim = await ledger.claimRun(...args);
        const pages = await all(claim.pages());
        await claim.release();
        return { ...claim, pages: () => streamOf(pages), more: async () => false };
      },
    })),
  },
  {
    name: 'a lost answer counts as not sent',
    engine: 'run',
    defect: withLedger((ledger) => ({
      settle: (attempt, outcome) =>
        ledger.settle(
          attempt,
          outcome.kind === 'in_doubt' ? { kind: 'not_sent', reason: 'no answer' } : outcome,
        ),
    })),
  },
  {
    name: 'a POST is sent again when its answer is lost',
    engine: 'run',
    defect: withClient((client) => ({
      submitGrade: (url, body) =>
        client.submitGrade(url, body).catch((error: unknown) => {
          if (!isLost(error)) throw error;
          return client.submitGrade(url, body);
        }),
    })),
  },
  {
    name: '429 counts as a refusal of the grade',
    engine: 'run',
    defect: withLedger((ledger) => ({
      settle: (attempt, outcome) =>
        ledger.settle(
          attempt,
          outcome.kind === 'not_sent' && outcome.http === 429
            ? { kind: 'refused', http: 429, text: '' }
            : outcome,
        ),
    })),
  },
  {
    name: 'an intent that was not sent is left in doubt',
    engine: 'run',
    defect: withLedger(() => ({ withdraw: async () => {} })),
  },
  {
    name: 'an evidence of an effect is stored as none',
    engine: 'run',
    defect: withLedger((ledger) => ({
      settleDoubts: (id, settlements) =>
        ledger.settleDoubts(
          id,
          settlements.map((each) => ({ ...each, state: 'not_sent' as const })),
        ),
    })),
  },
  {
    name: 'the last record of a run is left out',
    engine: 'run',
    defect: withLedger((ledger) => ({
      claimRun: async (...args) => {
        const claim = await ledger.claimRun(...args);
        return { ...claim, pages: () => withoutLast(claim.pages()), more: async () => false };
      },
    })),
  },
  {
    name: 'a previous version is stored after the write',
    engine: 'row',
    defect: withLedger((ledger) => {
      let kept: Parameters<Ledger['keepImage']>[0] | undefined;
      return {
        keepImage: async (image) => {
          kept = image;
          return 1;
        },
        settleImage: async (_, outcome) => {
          if (kept) await ledger.settleImage(await ledger.keepImage(kept), outcome);
        },
      };
    }),
  },
  {
    name: 'a lost answer counts as not written',
    engine: 'row',
    defect: withLedger((ledger) => ({
      settleImage: (id, outcome) =>
        ledger.settleImage(id, outcome === 'written' ? 'not_done' : outcome),
    })),
  },
  {
    name: 'a patch replaces the row',
    engine: 'row',
    defect: withClient((client) => {
      let read = '{}';
      return {
        getRow: async (url) => {
          const bytes = await client.getRow(url);
          read = Buffer.from(bytes).toString();
          return bytes;
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
  },
  {
    name: 'a write is sent again when its answer is lost',
    engine: 'row',
    defect: withClient((client) => ({
      putRow: (url, body) =>
        client.putRow(url, body).catch((error: unknown) => {
          if (!isLost(error) || error instanceof Refusal) throw error;
          return client.putRow(url, body);
        }),
    })),
  },
];

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

async function* withoutLast(pages: Pages): AsyncGenerator<readonly RecordState[]> {
  for (const page of await all(pages)) yield page.slice(0, -1);
}
