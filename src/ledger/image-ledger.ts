/** Before-images of storage rows: bytes exact, the same bytes stored once. */
export interface ImageLedger {
  /**
   * Takes a row for this process alone, until released, closed or killed; undefined where another
   * has it. Rows share a bounded number of locks: one may wait for a row that is not its own.
   */
  claimRow(url: string): Promise<RowClaim | undefined>;

  /** Keeps a row as it is before a write, which is in doubt until it is settled. */
  keepImage(image: NewImage): Promise<number>;

  /** Keeps what became of the write that an image was kept for. */
  settleImage(id: number, outcome: WriteOutcome): Promise<void>;

  /** Images without their bytes, the newest first. */
  images(filter?: ImageFilter): Promise<ImageRecord[]>;

  image(id: number): Promise<ImageContent | undefined>;

  /**
   * Drops all but the newest `keep` images of each URL, and all older than `maxAgeMs` but the newest
   * one; says how many.
   */
  pruneImages(limits: { readonly keep: number; readonly maxAgeMs: number }): Promise<number>;

  /** Drops every image; says how many. The bytes are overwritten in the file and leave its log. */
  clearImages(): Promise<number>;
}

export interface RowClaim {
  /** May be called twice. */
  release(): void;
}

/** `refused` by the service; `not_done`: surely took no effect. */
export type WriteOutcome = 'written' | 'refused' | 'not_done' | 'in_doubt';

export interface NewImage {
  /** The row's name (`context`, `member`, …), or what the user called it. */
  readonly row: string;
  /** Kept with a digest of its query, which may be a signature. */
  readonly url: string;
  /** What is about to be done, such as `storage put`. */
  readonly command: string;
  /** The row's bytes as they were. */
  readonly before: Uint8Array;
  /** The row's bytes as they will be, where that is known. */
  readonly after?: Uint8Array | undefined;
}

export interface ImageFilter {
  readonly row?: string | undefined;
  /** A query is ignored. */
  readonly url?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ImageRecord {
  readonly id: number;
  readonly time: number;
  readonly row: string;
  readonly url: string;
  readonly origin: string;
  readonly command: string;
  /** Size of `before`, and its SHA-256 in hexadecimal. */
  readonly bytes: number;
  readonly sha256: string;
  readonly afterBytes?: number | undefined;
  readonly afterSha256?: string | undefined;
  /** Of the write; undefined for an image that an older lectern kept. */
  readonly outcome?: WriteOutcome | undefined;
}

export interface ImageContent extends ImageRecord {
  readonly before: Uint8Array;
  readonly after?: Uint8Array | undefined;
}
