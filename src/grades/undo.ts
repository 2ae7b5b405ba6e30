import { fillMember, type GradeBody } from '../contract/index.ts';
import type { AttemptLedger, RunLedger, RunRecord } from '../ledger/ledger.ts';
import { type GradeRecord, recordChunks } from './plan-run.ts';

/**
 * The grades that were recorded before a run, as the records of a run that takes it back: of each
 * member whose grade the run has recorded, or has in doubt.
 */
export class Undo {
  readonly #ledger: AttemptLedger & RunLedger;
  readonly #run: RunRecord;
  readonly #only: ReadonlySet<string> | undefined;
  /** Members without an earlier score, as far as the records have been read: there is nothing to send. */
  readonly withoutEarlier: string[] = [];

  /** @param only the members that are taken back; all by default */
  constructor(ledger: AttemptLedger & RunLedger, run: RunRecord, only?: ReadonlySet<string>) {
    this.#ledger = ledger;
    this.#run = run;
    this.#only = only;
  }

  /** The records as a file of grades, for `planRun`: with none, a header alone, since an empty file is an error. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    let isEmpty = true;
    for await (const chunk of recordChunks(this.#records())) {
      isEmpty = false;
      yield chunk;
    }
    if (isEmpty) yield Buffer.from('member,score\n');
  }

  async *#records(): AsyncGenerator<GradeRecord> {
    const { id, target } = this.#run;
    const pages = this.#ledger.pages(id, { states: ['success', 'in_doubt'] });
    for await (const page of pages) {
      const rows = page.filter(({ member }) => this.#only?.has(member) ?? true);
      const members = rows.map(({ member }) => ({ url: fillMember(target.url, member), member }));
      const known = await this.#ledger.knownGrades(members, id);
      for (const [index, { member, state, body }] of rows.entries()) {
        const last = known[index]?.last;
        if (last === undefined) this.withoutEarlier.push(member);
        // Recorded or not: the gradebook has the same grade.
        else if (state === 'in_doubt' && last.body === body) continue;
        else yield { member, ...(JSON.parse(last.body) as GradeBody) };
      }
    }
  }
}
