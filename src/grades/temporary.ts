import { messageOf, StateError } from '../errors.ts';
import { Database } from '../sqlite/database.ts';

/**
 * A temporary database with these tables, which SQLite keeps in memory while it is small. `failed` says
 * what cannot be done where there is no room for it.
 */
export function temporaryDatabase(tables: string, failed: string): Database {
  const errorOf = (cause: unknown): StateError =>
    new StateError(
      `${failed}: ${messageOf(cause)}`,
      'free some space for temporary files, or set TMPDIR to another folder',
      { cause },
    );
  const database = new Database('', { errorOf });
  database.execute(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; ${tables}; BEGIN`);
  return database;
}
