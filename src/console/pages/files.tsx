import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isShared, proposeKey } from '../../contract/index.ts';
import { validateFile } from '../../validator/index.ts';
import { ask } from '../api.ts';
import { Alert, Button, Command, Empty, Link, Meter, Section, told } from '../components.tsx';
import { chooseAnew, useAction, useLoad } from '../hooks.ts';
import { Pager, PAST_END, Search, Table } from '../lists.tsx';
import { RowChooser } from '../parts/row-chooser.tsx';
import { placementOf, RowFacts, RowLink } from '../parts/row-facts.tsx';
import { showCommand } from '../parts/show-command.ts';
import { place } from '../router.ts';
import type { Files } from '../api.ts';
import { bytesText, quoted, timeText, visible } from '../text.ts';

export function FilesPage(): JSX.Element {
  const { rest } = place.value;
  return rest === '' ? <SetList /> : <OneSet row={rest} />;
}

function SetList(): JSX.Element {
  const { query } = place.value;
  const asked = { search: query.get('search') ?? '', after: query.get('after') ?? '' };
  const { data, error } = useLoad('GET file-sets', asked);
  const isPast = data?.items.length === 0 && data.total > 0;
  const hasNone = data !== undefined && !isPast && data.items.every(({ files }) => files === 0);
  return (
    <>
      <div class="bar">
        <Search label="Filter" placeholder="row, person, file" />
        {data !== undefined && <Pager page={data} />}
      </div>
      <Alert>{error}</Alert>
      {isPast && <Empty>{PAST_END}</Empty>}
      {hasNone && (
        <Empty asStudent="lectern files upload member notes.txt">
          No file is kept beside any row{asked.search === '' ? '' : ' that is found by that'}. A
          tool uploads one by the signed form of its launch; you can here, in any row below.
        </Empty>
      )}
      {data !== undefined && data.items.length > 0 && (
        <Table
          name="Rows with files"
          items={data.items}
          keyOf={({ row }) => row}
          columns={[
            { name: 'Row', wide: true, cell: (row) => <RowLink page="files" row={row} /> },
            {
              name: 'Person',
              minor: true,
              fit: true,
              cell: ({ name, member }) => visible(name || member || ''),
            },
            { name: 'Files', numeric: true, cell: ({ files }) => files },
            { name: 'Bytes', numeric: true, cell: ({ file_bytes: bytes }) => bytesText(bytes) },
          ]}
        />
      )}
      <Command>{showCommand('files', asked)}</Command>
      <RowChooser page="files" />
    </>
  );
}

function OneSet({ row }: { readonly row: string }): JSX.Element {
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
      <h2 class="detail">{visible(row)}</h2>
      <Alert>{visible(error)}</Alert>
      {data !== undefined && (
        <>
          <RowFacts row={data} />
          <div class="meters">
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
          <Section name="Stored files">
            <Alert>{visible(action.error)}</Alert>
            {data.items.length === 0 ? (
              <Empty>No files yet.</Empty>
            ) : (
              <Table
                name="Stored files"
                items={data.items}
                keyOf={({ key }) => key}
                columns={[
                  { name: 'Key', wide: true, cell: ({ key }) => <code>{visible(key)}</code> },
                  { name: 'Type', minor: true, cell: (file) => visible(file.content_type) },
                  { name: 'Bytes', numeric: true, cell: ({ size }) => size.toLocaleString('en') },
                  {
                    name: 'Modified',
                    minor: true,
                    fit: true,
                    cell: ({ modified }) => timeText(modified),
                  },
                  {
                    name: 'Actions',
                    cell: ({ key }) => (
                      <div class="actions">
                        <Button
                          class="small"
                          aria-label={`Download ${key}`}
                          onClick={() => act('download', key, () => download(row, key))}
                        >
                          Download
                        </Button>
                        <Button
                          class="small danger"
                          aria-label={`Delete ${key}`}
                          onClick={() =>
                            act('rm', key, async () => {
                              await ask('POST file/delete', { row, key });
                              told.value = `${key} deleted`;
                            })
                          }
                        >
                          Delete
                        </Button>
                      </div>
                    ),
                  },
                ]}
              />
            )}
            <FilesCommand set={data}>{last || 'ls'}</FilesCommand>
          </Section>
        </>
      )}
    </>
  );
}

/** The command for the files of a row, with the launch that `LaunchForFiles` tells. */
function FilesCommand({
  set,
  children,
}: {
  readonly set: Files;
  readonly children: string;
}): JSX.Element {
  const [verb = '', ...more] = children.split(' ');
  const words = ['lectern files', verb, quoted(set.files_url), ...more, '-l files'];
  return <Command>{words.join(' ')}</Command>;
}

/** The launch with which the commands for the files of a row may use them. */
function LaunchForFiles({ set }: { readonly set: Files }): JSX.Element | null {
  const { data: world } = useLoad('GET world');
  if (world === undefined) return null;
  const { kind, member } = set;
  const placement = quoted(placementOf(set, world) ?? '');
  const whom = isShared(kind) ? '--role instructor' : `--member ${quoted(member)}`;
  return (
    <Command>{`lectern emulator launch --location ${placement} ${whom} --save files --force`}</Command>
  );
}

/** Declares a file and posts it by the signed form, as a tool does. */
function Upload({ set }: { readonly set: Files }): JSX.Element {
  const { row } = set;
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
      if (!response.ok)
        throw new Error(`the upload was answered ${response.status}: ${await wordsOf(response)}`);
      setKey('');
      told.value = `${name} uploaded`;
    });
  const keyErrors = key === '' ? [] : validateFile({ key, size: 0 });
  const wrongKey = keyErrors.find(({ severity }) => severity === 'error');
  return (
    <Section name="Upload">
      <div class="fields">
        <label class="field">
          <span>Key, else made from the name</span>
          <input
            type="text"
            value={key}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={wrongKey !== undefined}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Upload a file</span>
          <input
            type="file"
            onClick={chooseAnew}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) upload(file);
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isAttachment}
            onChange={({ currentTarget }) => setAttachment(currentTarget.checked)}
          />
          Downloads save the file
        </label>
      </div>
      {wrongKey !== undefined && <p class="note">{visible(wrongKey.message)}</p>}
      <Alert>{visible(action.error)}</Alert>
      <LaunchForFiles set={set} />
      <FilesCommand set={set}>
        {key === '' ? 'upload FILE' : `upload FILE --key ${quoted(key)}`}
      </FilesCommand>
    </Section>
  );
}

async function wordsOf(response: Response): Promise<string> {
  const text = await response.text();
  return /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text.slice(0, 200);
}

/** Saves the bytes, whatever they are: what others uploaded is never shown as a page. */
async function download(row: string, key: string): Promise<void> {
  const { url, filename } = await ask('POST file/link', { row, key });
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the download was answered ${response.status}`);
  const bytes = new Blob([await response.arrayBuffer()], { type: 'application/octet-stream' });
  const address = URL.createObjectURL(bytes);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
