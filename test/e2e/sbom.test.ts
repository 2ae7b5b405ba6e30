/** The bill of materials that the build writes beside the bundle. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly 'bom-ref': string;
  readonly licenses: readonly object[];
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const bill = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as Bill;

test('the bill of materials is a CycloneDX document about lectern', () => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8')) as Component;
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(bill.metadata.component).toMatchObject({ name, version });
});

test('the bill of materials lists every package with a passed-on licence, and the SQLite addon', () => {
  const notices = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8');
  const passedOn = [...notices.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(.+\)$/gm)];
  const wanted = passedOn.map(([, name, version]) => `${name}@${version}`);
  const found = bill.components.map(({ name, version }) => `${name}@${version}`);
  expect(wanted).toContain(found.find((each) => each.startsWith('commander@')));
  expect(wanted.filter((each) => !found.includes(each))).toEqual([]);
  expect(found.some((each) => each.startsWith('@photostructure/sqlite@'))).toBe(true);
});

test('each component of the bill of materials has a reference, a licence and the version of the lock file', () => {
  const lock = readFileSync('package-lock.json', 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, Partial<Component>> };
  const locked = Object.entries(packages).map(
    ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`,
  );
  const references = bill.components.map((each) => each['bom-ref']);
  expect(new Set(references).size).toBe(references.length);
  expect(bill.dependencies).toEqual([
    { ref: bill.metadata.component['bom-ref'], dependsOn: references },
  ]);
  for (const { name, version, licenses, purl } of bill.components) {
    expect(locked, name).toContain(`${name}@${version}`);
    expect(licenses, name).toHaveLength(1);
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
  }
});
