import { useState } from 'preact/hooks';
import { bytesText, isShared, proposeKey } from '../../contract/index.ts';
import { validateFile } from '../../validator/index.ts';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask, checkAnswer, type Files, type World } from '../api.ts';
import {
  Alert,
  Button,
  Check,
  announce,
  Empty,
  Field,
  FileField,
  Link,
  Meter,
  Section,
} from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { ListPage, ResourceTable } from '../parts/list-page.tsx';
import { RowChooser } from '../parts/row-chooser.tsx';
import { placementOf, rowCells, RowFacts, RowName } from '../parts/row-facts.tsx';
import { place } from '../router.ts';
import { flagWord, quoted, visible } from '../text.ts';

export function FilesPage() {
  const { rest } = place.value;
  return rest === '' ? <SetList /> : <OneSet row={rest} />;
}

function SetList() {
  return (
    <>
      <ListPage
        list="file-sets"
        name="Rows with files"
        find="row, person, file"
        student="lectern files upload member notes.txt"
        isEmpty={({ items }) => items.every(({ files }) => files === 0)}
        empty={(isFiltered) =>
          `No ${isFiltered ? 'matching row' : 'row'} has files. A tool uploads one with the signed form of its launch; here you can, in any row below.`
        }
        keyOf={({ row }) => row}
        cells={rowCells('files')}
      />
      <RowChooser page="files" />
    </>
  );
}

function OneSet({ row }: { row: string }) {
  const { data, error } = useLoad('GET files', { row });
  const action = useAction();
  const [last, setLast] = useState('');
  const act = (command: string, key: string, work: () => Promise<void>): void =>
    action.run(async () => {
      await work();
      setLast(`${command} ${quoted(key)}${command === 'rm' ? ' --yes' : ''}`);
    });
  return (
    <>
      <p class="crumbs">
        <Link page="files">All files</Link> ·{' '}
        <Link page="rows" rest={row}>
          The row itself
        </Link>
      </p>
      <h2 class="detail">
        <RowName name={row} />
      </h2>
      <Alert>{visible(error)}</Alert>
      {data !== undefined && (
        <>
          <RowFacts row={data} address={data.files_url} />
          <div class="columns">
            <Meter
              name="Files"
              value={data.items.length}
              max={data.quota.files}
              text={`${data.items.length} of ${data.quota.files} files`}
            />
            <Meter
              name="Bytes"
              value={data.file_bytes}
              max={data.quota.bytes}
              text={`${bytesText(data.file_bytes)} of ${bytesText(data.quota.bytes)}`}
            />
          </div>
          <Upload set={data} />
          <Section name="Stored files" commands={[filesCommand(data, last || 'ls')]}>
            <Alert>{visible(action.error)}</Alert>
            {data.items.length === 0 ? (
              <Empty>No files yet.</Empty>
            ) : (
              <ResourceTable
                list="files"
                name="Stored files"
                items={data.items}
                keyOf={({ key }) => key}
                isWhole
                cells={{ key: ({ key }) => <code class="path">{visible(key)}</code> }}
                actions={({ key }) => (
                  <div class="actions">
                    <Button
                      class="small"
                      aria-label={`Download ${key}`}
                      onClick={() => act('download', key, () => download(row, key))}
                    >
                      Download
                    </Button>
                    <Button
                      class="small"
                      aria-label={`Delete ${key}`}
                      onClick={() =>
                        act('rm', key, async () => {
                          await ask('POST file/delete', { row, key });
                          announce(`${key} deleted`);
                        })
                      }
                    >
                      Delete
                    </Button>
                  </div>
                )}
              />
            )}
          </Section>
        </>
      )}
    </>
  );
}

/** A command for the files of a row, with the launch that `launchForFiles` saves. */
function filesCommand(set: Files, command: string): string {
  const [verb = '', ...more] = command.split(' ');
  return ['lectern files', verb, quoted(set.files_url), ...more, '-l files'].join(' ');
}

/** The command for a launch that may use the files of a row. */
function launchForFiles(set: Files, world: World | undefined): readonly string[] {
  if (world === undefined) return [];
  const { kind, member } = set;
  const whom = isShared(kind) ? { role: 'instructor' } : { member };
  const launched = { location: placementOf(set, world), ...whom };
  return [`${verbLine('launch', TAKEN.launch, launched)} --save files --force`];
}

/** Declares a file and posts it by the signed form, as a tool does. */
function Upload({ set }: { set: Files }) {
  const { row } = set;
  const { data: world } = useLoad('GET world');
  const action = useAction();
  const [key, setKey] = useState('');
  const [isAttachment, setAttachment] = useState(false);
  const upload = (file: File): void =>
    action.run(async () => {
      const name = key.trim() || proposeKey(file.name);
      const declaration = { size: file.size, filename: file.name, attachment: isAttachment };
      const { url, fields } = await ask('POST file/declare', {
        row,
        key: name,
        ...declaration,
        ...(file.type && { mimetype: file.type }),
      });
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.append(field, value);
      form.append('file', file);
      const response = await fetch(url, { method: 'POST', body: form });
      await checkAnswer(response, 'the upload');
      setKey('');
      announce(`${name} uploaded`);
    });
  const keyErrors = key === '' ? [] : validateFile({ key, size: 0 });
  const commands = [
    ...launchForFiles(set, world),
    filesCommand(set, key === '' ? 'upload FILE' : `upload FILE ${flagWord('--key', key)}`),
  ];
  const wrongKey = keyErrors.find(({ severity }) => severity === 'error');
  return (
    <Section name="Upload" commands={commands}>
      <div class="fields">
        <Field
          label="Key (default: from the file name)"
          value={key}
          aria-invalid={wrongKey !== undefined}
          onText={setKey}
        />
        <FileField label="Upload a file" onFile={upload} />
        <Check label="Downloads save the file" isOn={isAttachment} onChange={setAttachment} />
      </div>
      {wrongKey !== undefined && <p class="note">{visible(wrongKey.message)}</p>}
      <Alert>{visible(action.error)}</Alert>
    </Section>
  );
}

/** Saves the bytes: an uploaded file is never shown as a page. */
async function download(row: string, key: string): Promise<void> {
  const { url, filename } = await ask('POST file/link', { row, key });
  const response = await fetch(url);
  await checkAnswer(response, 'the download');
  const bytes = new Blob([await response.arrayBuffer()], { type: 'application/octet-stream' });
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
