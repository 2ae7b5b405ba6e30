import type { JSX } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';
import { compactSize, reformat } from '../../json/index.ts';
import { type Finding, validateRow } from '../../validator/index.ts';
import { ApiError, ask, send } from '../api.ts';
import { Alert, Button, Command, Meter, Section, Status, told } from '../components.tsx';
import { useAction, useLoad, useSettled } from '../hooks.ts';
import type { Answers, Row } from '../api.ts';
import { bytesText, hasHidden, quoted, timeText, visible } from '../text.ts';
import { draftOf, keepDraft } from './drafts.ts';
import {
  type DraftEvent,
  isEdited,
  nextDraft,
  type RowDraft,
  type StoredText,
  theirsOf,
} from './row-draft.ts';
import { RowFacts } from './row-facts.tsx';

async function read(row: string, version?: number): Promise<StoredText> {
  const response = await send('GET row', { row, version });
  return { text: await response.text(), etag: response.headers.get('etag') ?? '' };
}

/** A row's text, which is its bytes: written by the rules of a PUT, never over another's change. */
export function RowEditor({ row }: { readonly row: string }): JSX.Element {
  const { data: history, error } = useLoad('GET row/versions', { row });
  const [draft, dispatch] = useReducer<RowDraft, DraftEvent>(nextDraft, { kind: 'loading' });
  const action = useAction();
  // As it is when an answer comes, not when it was asked for.
  const latest = useRef(draft);
  latest.current = draft;

  // What is stored is shown as it changes; what somebody is writing stays.
  useEffect(() => {
    if (history === undefined || isKnown(draft, history.etag)) return;
    read(row).then(
      (now) => dispatch({ kind: 'read', now, kept: draftOf(row) }),
      // It is read again when the emulator is heard again.
      () => undefined,
    );
  }, [history]);
  // What is not saved is kept, also where the page is left before the text has settled.
  const settled = useSettled(draft.kind === 'loading' ? '' : draft.text);
  const keep = (): void => {
    const now = latest.current;
    if (now.kind === 'loading') return;
    keepDraft(row, isEdited(now) ? { text: now.text, etag: now.stored.etag } : undefined);
  };
  useEffect(keep, [settled, draft.kind === 'loading' ? undefined : draft.stored]);
  useEffect(() => keep, []);

  if (history === undefined || draft.kind === 'loading') return <Alert>{visible(error)}</Alert>;
  const { text } = draft;
  const theirs = theirsOf(draft);
  const refused = 'refused' in draft ? draft.refused : [];
  const type = (written: string): void => dispatch({ kind: 'typed', text: written });
  const undo = (): void => {
    dispatch({ kind: 'undone' });
    action.clear();
  };
  const save = (over?: StoredText): void => {
    const findings = errorsOf(text, history);
    if (findings.length > 0) {
      action.clear();
      return dispatch({ kind: 'refused', findings });
    }
    dispatch({ kind: 'save', over });
    const expected = (over ?? draft.stored).etag;
    action.run(async () => {
      try {
        const { etag } = await ask('POST row', { row, expected }, { body: text });
        dispatch({ kind: 'saved', etag });
        told.value = 'saved';
      } catch (failure) {
        const isChanged = failure instanceof ApiError && failure.code === 'row.changed';
        const now = isChanged ? await read(row).catch(() => undefined) : undefined;
        dispatch(now === undefined ? { kind: 'failed' } : { kind: 'changed', now });
        if (now === undefined) throw failure;
      }
    });
  };
  return (
    <>
      <RowFacts row={history} />
      <div class="editor panel">
        <Size row={history} text={text} />
        <label class="block">
          <span>Row as JSON</span>
          <textarea
            value={text}
            rows={Math.min(24, Math.max(8, text.split('\n', 25).length + 1))}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={refused.length > 0}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
        {hasHidden(text) && (
          <p class="note">
            The row has characters that cannot be seen or that reorder text:{' '}
            <code class="value">{visible(firstHidden(text))}</code>
          </p>
        )}
        <Alert>{visible(action.error)}</Alert>
        {refused.length > 0 && (
          <Alert>
            <ul class="findings">
              {refused.map((each) => (
                <li key={each.code + each.path}>
                  {positionText(each)}
                  {visible(each.message)}
                </li>
              ))}
            </ul>
          </Alert>
        )}
        {theirs !== undefined && (
          <Changed theirs={theirs} onTake={undo} onKeep={() => save(theirs)} />
        )}
        <div class="actions">
          <Button class="primary" isOff={action.isBusy} onClick={() => save()}>
            Save
          </Button>
          <Button onClick={() => type(formatted(text))}>Format</Button>
          <Button isOff={!isEdited(draft)} onClick={undo}>
            Undo edits
          </Button>
          <span class="secondary" role="status" aria-label="Edits">
            {isEdited(draft) ? 'edited, not saved' : ''}
          </span>
        </div>
        <Command>{`lectern emulator row ${quoted(row)} --put row.json`}</Command>
      </div>
      <History
        history={history}
        onShow={(number) => action.run(async () => type((await read(row, number)).text))}
      />
    </>
  );
}

/** Whether the draft has a version already, as the stored one or as somebody else's. */
function isKnown(draft: RowDraft, etag: string): boolean {
  if (draft.kind === 'loading') return false;
  return (
    etag === theirsOf(draft)?.etag || (etag === draft.stored.etag && draft.kind !== 'conflict')
  );
}

/** Why the service would refuse a text as this row. */
function errorsOf(text: string, { kind }: Row): Finding[] {
  return validateRow(text, { kind }).filter(({ severity }) => severity === 'error');
}

/** Somebody else has written the row since it was read. */
function Changed({
  theirs,
  onTake,
  onKeep,
}: {
  readonly theirs: StoredText;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}): JSX.Element {
  return (
    <Alert>
      <p>The row was changed meanwhile; nothing was overwritten. It is now:</p>
      <pre tabIndex={0}>{visible(theirs.text.slice(0, 4000))}</pre>
      <div class="actions">
        <Button onClick={onTake}>Take the stored row</Button>
        <Button onClick={onKeep}>Overwrite it with mine</Button>
      </div>
    </Alert>
  );
}

/** How full the row is, by its compact size. */
function Size({ row, text }: { readonly row: Row; readonly text: string }): JSX.Element {
  const settled = useSettled(text);
  const size = sizeOf(settled);
  return (
    <Meter
      name="Size"
      value={size}
      max={row.limit}
      text={`${bytesText(size)} of ${bytesText(row.limit)} as compact JSON`}
    />
  );
}

function sizeOf(text: string): number {
  try {
    return compactSize(text);
  } catch {
    return new TextEncoder().encode(text).length;
  }
}

/** Laid out; what is no JSON stays as it is. */
function formatted(text: string): string {
  return validateRow(text).some(({ code }) => code === 'body.syntax') ? text : reformat(text);
}

function firstHidden(text: string): string {
  const at = text.replace(/[\n\r\t]/g, ' ').search(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u);
  return text.slice(Math.max(0, at - 10), at + 20).replace(/[\n\r\t]/g, ' ');
}

function positionText({ line, column, path, message }: Finding): string {
  // What cannot be parsed says where by itself.
  if (message.includes(`line ${line}, column`)) return '';
  if (line !== null) return `line ${line}, column ${column}: `;
  return path === '' ? '' : `${visible(path)}: `;
}

/** Who wrote a version that came from no call of the service. */
const WRITERS: Readonly<Record<string, string>> = {
  start: 'there when the emulator started',
  import: 'from an import',
  fixture: 'by emulator fixture',
  chaos: 'trouble on purpose (--chaos)',
};

function History({
  history,
  onShow,
}: {
  readonly history: Answers['GET row/versions'];
  readonly onShow: (version: number) => void;
}): JSX.Element {
  const { versions } = history;
  return (
    <Section name="History">
      {versions.length === 0 ? (
        <p class="secondary">
          {history.bytes === null
            ? 'The row was never written. It reads as {}.'
            : 'Its versions were forgotten: 32 MB of all rows are kept.'}
        </p>
      ) : (
        <ol class="history">
          {versions.map(({ number, at, by, launch_id: launch, bytes }, index) => (
            <li key={number}>
              <span class="history-what">
                <Status tone={index === 0 ? 'good' : 'plain'}>
                  {index === 0 ? 'stored now' : `version ${number}`}
                </Status>{' '}
                <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time> ·{' '}
                {WRITERS[by] ?? by}
                {launch !== null && (
                  <>
                    {' '}
                    by launch <code>{launch}</code>
                  </>
                )}{' '}
                · {bytesText(bytes)}
              </span>
              <Button class="small" onClick={() => onShow(number)}>
                Show version {number}
              </Button>
            </li>
          ))}
        </ol>
      )}
      <p class="secondary">
        The last 20 versions since the emulator started; the service itself keeps none.
      </p>
      <Command>{`lectern emulator row ${quoted(history.row)} --versions`}</Command>
    </Section>
  );
}
