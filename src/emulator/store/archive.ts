import { readZip, type ZipEntry } from '../../zip.ts';

/** The code of a hosted tool: the uploaded zip, which is never unpacked to disk. */
export class Archive {
  /** Every file, including those with the same path as another one. */
  readonly files: readonly ZipEntry[];
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  private constructor(files: readonly ZipEntry[]) {
    this.files = files;
    this.#entries = new Map(files.map((file) => [file.path, file]));
  }

  /**
   * Reads the directory of a zip. Its paths are checked with all other rules.
   *
   * @throws {ZipError}
   */
  static async open(zip: Buffer): Promise<Archive> {
    const files: ZipEntry[] = [];
    for await (const file of readZip(zip)) files.push(file);
    return new Archive(files);
  }

  /**
   * The bytes of a file, by its exact path; undefined if there is none.
   *
   * @throws {ZipError}
   */
  async read(path: string): Promise<Buffer | undefined> {
    return this.#entries.get(path)?.read();
  }
}
