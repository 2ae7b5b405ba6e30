import { createHash } from 'node:crypto';
import { originOf } from '../../contract/url.ts';
import type { Database, Value } from '../../sqlite/database.ts';
import type { Locks } from '../../sqlite/locks.ts';
import type { GroupCommit } from '../../sqlite/writer.ts';
import { addressOf } from '../address.ts';
import type {
  ImageContent,
  ImageFilter,
  ImageLedger,
  ImageRecord,
  NewImage,
  RowClaim,
  WriteOutcome,
} from '../ledger.ts';

/** Lock files are never deleted: one for each row ever written would be too many. */
const ROW_LOCKS = 4096;

/** Before-images of rows: `images` says when and why, `blobs` has each content once. */
export class Images implements ImageLedger {
  readonly #database: Database;
  readonly #writer: GroupCommit;
  readonly #locks: Locks;
  readonly #now: () => number;

  constructor(database: Database, writer: GroupCommit, locks: Locks, now: () => number) {
    this.#database = database;
    this.#writer = writer;
    this.#locks = locks;
    this.#now = now;
  }

  async claimRow(url: string): Promise<RowClaim | undefined> {
    const digest = createHash('sha256').update(addressOf(url)).digest();
    return this.#locks.take(`row-${digest.readUInt32BE() % ROW_LOCKS}`);
  }

  keepImage(image: NewImage): Promise<number> {
    const { row, url, command, before, after } = image;
    const values = [this.#now(), row, addressOf(url), command];
    const [beforeSha256, afterSha256] = [sha256(before), after ? sha256(after) : null];
    return this.#writer.write(() => {
      this.#keepBlob(beforeSha256, before);
      if (after && afterSha256) this.#keepBlob(afterSha256, after);
      const { id } = this.#database.write(
        `INSERT INTO images (time, row, url, command, before_sha256, after_sha256, outcome)
         VALUES (?, ?, ?, ?, ?, ?, 'in_doubt')`,
        [...values, beforeSha256, afterSha256],
      );
      return id;
    });
  }

  async settleImage(id: number, outcome: WriteOutcome): Promise<void> {
    const sql = 'UPDATE images SET outcome = ? WHERE id = ?';
    await this.#writer.writeOutcome(() => this.#database.write(sql, [outcome, id]));
  }

  #keepBlob(hash: string, bytes: Uint8Array): void {
    this.#database.write('INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING', [
      hash,
      bytes,
    ]);
  }

  async images(filter: ImageFilter = {}): Promise<ImageRecord[]> {
    const { row, url, limit = -1 } = filter;
    const conditions = ['TRUE'];
    const values: Value[] = [];
    if (row !== undefined) {
      conditions.push('row = ?');
      values.push(row);
    }
    if (url !== undefined) {
      conditions.push('url = ?');
      values.push(addressOf(url));
    }
    const sql = `${SELECT_IMAGES} WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ?`;
    return this.#database.all<ImageColumns>(sql, [...values, limit]).map(toImage);
  }

  async image(id: number): Promise<ImageContent | undefined> {
    const row = this.#database.first<ImageColumns>(`${SELECT_IMAGES} WHERE id = ?`, [id]);
    if (!row) return undefined;
    const after = row.afterSha256 === null ? undefined : this.#blob(row.afterSha256);
    return { ...toImage(row), before: this.#blob(row.sha256), after };
  }

  #blob(hash: string): Uint8Array {
    const sql = 'SELECT bytes FROM blobs WHERE sha256 = ?';
    return this.#database.first<{ bytes: Uint8Array }>(sql, [hash])?.bytes ?? new Uint8Array();
  }

  pruneImages({ keep, maxAgeMs }: { keep: number; maxAgeMs: number }): Promise<number> {
    const ranked = `
      SELECT id, row_number() OVER (PARTITION BY url ORDER BY id DESC) AS place FROM images`;
    const tooMany = `SELECT id FROM (${ranked}) WHERE place > ?`;
    // A clock that was just set forward must not delete the newest image.
    const isNewest = 'id = (SELECT max(id) FROM images)';
    return this.#drop(`(time < ? AND NOT ${isNewest}) OR id IN (${tooMany})`, [
      this.#now() - maxAgeMs,
      keep,
    ]);
  }

  clearImages(): Promise<number> {
    return this.#drop('TRUE');
  }

  async #drop(which: string, values: readonly number[] = []): Promise<number> {
    const dropped = await this.#writer.write(() => {
      const { changes } = this.#database.write(`DELETE FROM images WHERE ${which}`, values);
      if (changes > 0) this.#database.write(DELETE_UNUSED_BLOBS);
      return changes;
    });
    // The log still has the bytes; if a reader blocks this checkpoint, `close` makes it.
    if (dropped > 0) this.#database.first('PRAGMA wal_checkpoint(TRUNCATE)');
    return dropped;
  }
}

const DELETE_UNUSED_BLOBS = `
  DELETE FROM blobs WHERE sha256 NOT IN (
    SELECT before_sha256 FROM images
    UNION SELECT after_sha256 FROM images WHERE after_sha256 IS NOT NULL
  )`;

const SELECT_IMAGES = `
  SELECT id, time, row, url, command, length(old.bytes) AS bytes, before_sha256 AS sha256,
    length(new.bytes) AS afterBytes, after_sha256 AS afterSha256, outcome
  FROM images JOIN blobs AS old ON old.sha256 = before_sha256
    LEFT JOIN blobs AS new ON new.sha256 = after_sha256`;

interface ImageColumns {
  readonly id: number;
  readonly time: number;
  readonly row: string;
  readonly url: string;
  readonly command: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly afterBytes: number | null;
  readonly afterSha256: string | null;
  readonly outcome: WriteOutcome | null;
}

function toImage({ afterBytes, afterSha256, outcome, ...columns }: ImageColumns): ImageRecord {
  return {
    ...columns,
    origin: originOf(columns.url) ?? '',
    afterBytes: afterBytes ?? undefined,
    afterSha256: afterSha256 ?? undefined,
    outcome: outcome ?? undefined,
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
