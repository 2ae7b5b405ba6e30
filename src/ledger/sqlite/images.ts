import { createHash } from 'node:crypto';
import { originOf } from '../../contract/url.ts';
import { addressOf } from '../address.ts';
import type { ImageLedger, ImageRecord, WriteOutcome } from '../ledger.ts';
import type { SqliteStore } from './attempts.ts';

/** Lock files are never deleted: one for each row ever written would be too many. */
const ROW_LOCKS = 4096;

/** Before-images of rows: `images` says when and why, `blobs` has each content once. */
export function sqliteImages(store: SqliteStore): ImageLedger {
  const { database, writer, locks, now, uptime } = store;
  const keepBlob = (bytes: Uint8Array): string => {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const sql = 'INSERT INTO blobs (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING';
    database.write(sql, [hash, bytes]);
    return hash;
  };
  const blob = (hash: string): Uint8Array => {
    const sql = 'SELECT bytes FROM blobs WHERE sha256 = ?';
    return database.first<{ bytes: Uint8Array }>(sql, [hash])?.bytes ?? new Uint8Array();
  };
  const drop = async (which: string, values: readonly (number | null)[] = []): Promise<number> => {
    const dropped = await writer.write(() => {
      const { changes } = database.write(`DELETE FROM images WHERE ${which}`, values);
      if (changes > 0) database.write(DELETE_UNUSED_BLOBS);
      return changes;
    });
    // The log still has the bytes; if a reader blocks this checkpoint, `close` makes it.
    if (dropped > 0) database.first('PRAGMA wal_checkpoint(TRUNCATE)');
    return dropped;
  };

  return {
    async lockRow(url) {
      const digest = createHash('sha256').update(addressOf(url)).digest();
      return locks.take(`row-${digest.readUInt32BE() % ROW_LOCKS}`);
    },

    keepImage({ row, url, command, before, after }) {
      const values = [now(), uptime(), row, addressOf(url), command];
      return writer.write(() => {
        const hashes = [keepBlob(before), after ? keepBlob(after) : null];
        return database.write(INSERT_IMAGE, [...values, ...hashes]).id;
      });
    },

    async setImageOutcome(id, outcome) {
      const sql = 'UPDATE images SET outcome = ? WHERE id = ?';
      await writer.writeOutcome(() => database.write(sql, [outcome, id]));
    },

    async images({ row = null, url, limit = -1 } = {}) {
      const address = url === undefined ? null : addressOf(url);
      return database.all<ImageColumns>(NEWEST_IMAGES, { row, url: address, limit }).map(toImage);
    },

    async image(id) {
      const row = database.first<ImageColumns>(`${SELECT_IMAGES} WHERE id = ?`, [id]);
      if (!row) return undefined;
      const after = row.afterSha256 === null ? undefined : blob(row.afterSha256);
      return { ...toImage(row), before: blob(row.sha256), after };
    },

    pruneImages({ keep, maxAgeMs }) {
      const ranked = `
        SELECT id, row_number() OVER (PARTITION BY url ORDER BY id DESC) AS place FROM images`;
      const tooMany = `SELECT id FROM (${ranked}) WHERE place > ?`;
      // A clock that was just set forward must not delete the newest image.
      const isNewest = 'id = (SELECT max(id) FROM images)';
      const which = `(id IN (${OLDER}) AND NOT ${isNewest}) OR id IN (${tooMany})`;
      return drop(which, [now(), uptime(), maxAgeMs, keep]);
    },

    clearImages: () => drop('TRUE'),
  };
}

const INSERT_IMAGE = `
  INSERT INTO images (time, uptime, row, url, command, before_sha256, after_sha256, outcome)
  VALUES (?, ?, ?, ?, ?, ?, ?, 'in_doubt')`;

/**
 * The images over an age, which is the sum of the steps from image to image: a clock that jumps would
 * make all of them old. A step is measured by the uptime of the machine, unless it was restarted.
 */
const OLDER = `
  SELECT id FROM (
    SELECT id, sum(iif(next_uptime >= uptime, next_uptime - uptime, max(next_time - time, 0)))
      OVER (ORDER BY id DESC) AS age
    FROM (
      SELECT id, time, uptime, lead(time, 1, ?) OVER by_id AS next_time,
        lead(uptime, 1, ?) OVER by_id AS next_uptime
      FROM images WINDOW by_id AS (ORDER BY id)))
  WHERE age > ?`;

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

const NEWEST_IMAGES = `${SELECT_IMAGES}
  WHERE (:row IS NULL OR row = :row) AND (:url IS NULL OR url = :url) ORDER BY id DESC LIMIT :limit`;

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
