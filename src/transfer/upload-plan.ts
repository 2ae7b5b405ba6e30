import type { DeclarationBody } from '../client/index.ts';
import { checkFileSize, checkKey, type FileItem, type RowKind } from '../contract/index.ts';
import { fitFiles } from '../validator/file.ts';
import { type Finding, isError, toFindings } from '../validator/finding.ts';
import { InvalidError, UsageError } from '../errors.ts';
import { baseName, type LocalFile } from './local-file.ts';

/** How files are declared; `key` and `filename` apply to a single file. */
export interface UploadSettings {
  readonly key?: string;
  readonly prefix?: string;
  readonly mimetype?: string;
  readonly filename?: string;
  readonly attachment?: boolean;
}

/** A file to be uploaded, with its key and declaration. */
export interface PlannedUpload {
  readonly file: LocalFile;
  readonly key: string;
  readonly body: DeclarationBody;
  /** As given, or guessed as the service does. */
  readonly mimetype: string;
  readonly findings: readonly Finding[];
  /** The file with this key when the upload was planned, if there was one. */
  readonly before?: FileItem;
}

/**
 * Gives each file its key and declaration, and checks them. Sends nothing.
 *
 * @throws {InvalidError} a key or size is invalid for every row
 * @throws {UsageError} two files would get the same key; a mimetype is malformed
 * @example
 * const planned = await planUploads([await localFile(disk, 'essay.pdf')]);
 */
export async function planUploads(
  files: readonly LocalFile[],
  settings: UploadSettings = {},
): Promise<PlannedUpload[]> {
  const { guessMimetype } = await import('../contract/mimetype.ts');
  const planned = files.map((file) => planUpload(file, settings, guessMimetype));
  refuseSharedKeys(planned.map(({ key, file: { name } }) => ({ key, name })));
  refuseUploads(planned);
  return planned;
}

function planUpload(
  file: LocalFile,
  settings: UploadSettings,
  guess: (filename: string) => string,
): PlannedUpload {
  const name = baseName(file);
  const key = settings.key ?? (name === undefined ? undefined : (settings.prefix ?? '') + name);
  if (key === undefined) throw new UsageError('standard input has no name', 'pass a key');
  // Keeps the local file name if the key differs from it.
  const filename = settings.filename || (name === key ? undefined : name);
  const { size } = file.facts;
  const body = {
    size,
    ...(settings.mimetype ? { mimetype: settings.mimetype } : {}),
    ...(filename === undefined ? {} : { filename }),
    ...(settings.attachment ? { attachment: true } : {}),
  };
  const mimetype = settings.mimetype || guess(filename ?? key);
  if (!isMimetype(mimetype)) {
    const message = `the mimetype of ${file.name} has a control character`;
    throw new UsageError(message, 'a mimetype is such as text/plain');
  }
  const findings = toFindings([...checkKey(key), ...checkFileSize(size)]);
  return { file, key, body, mimetype, findings };
}

/** A line break in it would begin another header, of the upload and of downloads. */
export function isMimetype(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

/** Throws `UsageError`. */
export function refuseSharedKeys(files: readonly { key: string; name: string }[]): void {
  const names = new Map<string, string>();
  for (const { key, name } of files) {
    const other = names.get(key);
    if (other !== undefined) {
      throw new UsageError(
        `${other} and ${name} would both get the key ${key}`,
        'upload them one by one, each with a key or a prefix of its own',
      );
    }
    names.set(key, name);
  }
}

/** Uploads in the order in which they are sent, and the files of the row afterwards. */
export interface FittedUploads {
  /** Each phase begins after the previous one. */
  readonly phases: readonly (readonly PlannedUpload[])[];
  readonly after: readonly Pick<FileItem, 'key' | 'size'>[];
}

/**
 * Checks the quota of the whole upload against the row's listing, in the order in which the files are
 * sent: first those that replace a larger file, which frees space. If `kind` is undefined, the largest
 * quota applies, and only what is certain is reported.
 *
 * @param stored the `items` of `client.listFiles`
 * @example
 * const { phases } = fitUploads(planned, files.kind, items);
 * const results = await uploadFiles(files, phases);
 */
export function fitUploads(
  planned: readonly PlannedUpload[],
  kind: RowKind | undefined,
  stored: readonly FileItem[],
): FittedUploads {
  const there = new Map(stored.map((item) => [item.key, item]));
  const files = planned.map((upload) => ({ upload, key: upload.key, size: upload.body.size }));
  const { phases, after } = fitFiles(files, kind, stored);
  const fitted = ({ file: { upload }, violations }: (typeof phases)[number][number]) => {
    const before = there.get(upload.key);
    const findings = [...upload.findings, ...toFindings(violations)];
    return { ...upload, findings, ...(before === undefined ? {} : { before }) };
  };
  return { phases: phases.map((phase) => phase.map(fitted)), after };
}

/** The findings of uploads, with the file name as path. */
export function uploadFindings(planned: readonly PlannedUpload[]): Finding[] {
  return planned.flatMap(({ file, findings }) =>
    findings.map((each) => ({ ...each, path: file.name })),
  );
}

/** Refuses the whole upload if one of its files would be refused. Throws `InvalidError`. */
export function refuseUploads(planned: readonly PlannedUpload[]): void {
  const findings = planned.flatMap(({ file, findings: found }) =>
    found.filter(isError).map((each) => named(file.name, each)),
  );
  const [first] = findings;
  if (first === undefined) return;
  const message =
    planned.length === 1
      ? first.message
      : `nothing was sent, since ${findings.length} of these would be refused`;
  throw new InvalidError(message, { findings });
}

function named(name: string, finding: Finding): Finding {
  return { ...finding, message: `${name}: ${finding.message}` };
}
