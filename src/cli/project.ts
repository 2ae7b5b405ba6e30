import { dirname, resolve } from 'node:path';
import { InvalidError } from '../errors.ts';
import { escapeToken } from '../json/index.ts';
import { checkShape, type ShapeFault } from '../schema/check.ts';
import { isSecretName, maskSecrets } from './arguments/secrets.ts';
import { type DocumentKind, readDocument } from './input/document.ts';
import { readInput } from './input/read.ts';
import type { Project, Runtime } from './runtime.ts';
import { PROJECT, type ProjectSettings } from './json-forms/project.ts';

/** Reads a project file. Reports all faults; a secret is not repeated. */
export async function readProject(runtime: Runtime, file: string): Promise<Project> {
  const { bytes } = await readInput(runtime, file, 'the project file');
  const { value, findings } = readDocument(bytes, projectKind);
  if (findings.length > 0) {
    throw new InvalidError(`${file} is not a valid project file`, { findings });
  }
  const folder = dirname(file);
  return { file, settings: value as ProjectSettings, at: (path) => resolve(folder, path) };
}

/** The checks of a project file. */
export const projectKind: DocumentKind = {
  code: 'project.invalid',
  check: (value) => {
    const secrets = secretFaults(value);
    const isSecret = new Set(secrets.map(({ path }) => path));
    return [...secrets, ...checkShape(PROJECT, value).filter(({ path }) => !isSecret.has(path))];
  },
};

/** Faults for texts that look like a secret, by their form or their name. */
function secretFaults(value: unknown, path = '', name = ''): ShapeFault[] {
  if (typeof value === 'string') {
    const isSecret = isSecretName(name) || maskSecrets(value) !== value;
    return isSecret ? [{ path, message: SECRET, hint: SECRET_HINT }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    secretFaults(each, `${path}/${escapeToken(key)}`, key),
  );
}

const SECRET = 'a project file must not contain secrets: everybody with the project can read it';
const SECRET_HINT =
  'save it with lectern launch save, key save or ledger save, and name it here; or use LECTERN_TOKEN or LECTERN_API_KEY';
