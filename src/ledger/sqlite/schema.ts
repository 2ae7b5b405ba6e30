/** "lect": identifies a SQLite file as a ledger. */
export const APPLICATION_ID = 0x6c656374;

/**
 * The schema of lectern 1.0.0, and one entry for each version after it, applied in order; an entry
 * that was released is never edited.
 *
 * What is written for every attempt is only ever appended, since that is what makes 20,000 rows a
 * second possible: the state of a row follows from its attempts. One without an outcome is in
 * doubt, so a process that dies leaves nothing to be repaired. `targets` holds each
 * grade address once, with a mark in the place of the member. A run is complete when each row was sent, or is in doubt. `text` is bytes where it holds a NUL. An image has
 * the outcome of the write that it was kept for: 'in_doubt' until it is known.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE targets (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    location TEXT,
    context TEXT
  ) STRICT;

  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    target INTEGER NOT NULL REFERENCES targets,
    member TEXT NOT NULL,
    credential TEXT NOT NULL,
    body TEXT NOT NULL,
    run INTEGER REFERENCES runs,
    line INTEGER
  ) STRICT;
  CREATE INDEX attempts_by_member ON attempts (member, target);
  CREATE INDEX attempts_by_row ON attempts (run, line) WHERE run IS NOT NULL;

  CREATE TABLE outcomes (
    attempt INTEGER PRIMARY KEY REFERENCES attempts,
    time INTEGER NOT NULL,
    state TEXT NOT NULL,
    http INTEGER,
    code TEXT,
    reason TEXT,
    text ANY
  ) STRICT;

  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    target TEXT NOT NULL,
    credential TEXT NOT NULL,
    source TEXT NOT NULL,
    options TEXT NOT NULL,
    rows INTEGER NOT NULL DEFAULT 0,
    digest TEXT,
    pid INTEGER,
    complete INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE run_rows (
    run INTEGER NOT NULL REFERENCES runs,
    line INTEGER NOT NULL,
    member TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, line)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE blobs (
    sha256 TEXT PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT;

  CREATE TABLE images (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    row TEXT NOT NULL,
    url TEXT NOT NULL,
    command TEXT NOT NULL,
    before_sha256 TEXT NOT NULL REFERENCES blobs,
    after_sha256 TEXT REFERENCES blobs,
    outcome TEXT
  ) STRICT;
  CREATE INDEX images_by_url ON images (url);
  `,
  // Milliseconds since the machine was started, by which the age of an image is measured.
  `ALTER TABLE images ADD COLUMN uptime INTEGER;`,
  // How doubts were settled: only appended, too. The newest one of an attempt counts, as long as there
  // is no answer.
  `
  CREATE TABLE settlements (
    id INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempts,
    time INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    source TEXT,
    digest TEXT,
    export_line INTEGER,
    because TEXT,
    who TEXT NOT NULL
  ) STRICT;
  CREATE INDEX settlements_by_attempt ON settlements (attempt);
  `,
  // Answers for a shared ledger, each as JSON, until it has stored them.
  `CREATE TABLE answers (token TEXT PRIMARY KEY, ledger TEXT NOT NULL, answer TEXT NOT NULL) STRICT;`,
  // Runs were stored while they were planned, without a digest until then.
  `
  DELETE FROM run_rows WHERE run IN (SELECT id FROM runs WHERE digest IS NULL);
  DELETE FROM runs WHERE digest IS NULL;
  `,
];

/** The schema of lectern 1.0.0. */
export const OLDEST_VERSION = 4;
export const SCHEMA_VERSION = OLDEST_VERSION + MIGRATIONS.length - 1;
