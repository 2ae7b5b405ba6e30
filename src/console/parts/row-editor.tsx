import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { bytesText } from '../../contract/index.ts';
import { compactSize, reformat } from '../../json/index.ts';
import { type Finding, validateRow } from '../../validator/index.ts';
import { ApiError, ask, type Row, send } from '../api.ts';
import { Alert, Button, Commands, announce, Meter, Question } from '../components.tsx';
import { useAction, useLoad, useSettled } from '../hooks.ts';
import { hiddenIn, quoted, visible, visibleLines } from '../text.ts';
import {
  type DraftEvent,
  isEdited,
  nextDraft,
  type RowDraft,
  type StoredText,
} from './row-draft.ts';
import { RowFacts } from './row-facts.tsx';
import { LineDiff, RowHistory, RowVersion, type ShownVersion } from './row-history.tsx';
import { TextEditor } from './text-editor.tsx';

async function read(row: string, version?: number): Promise<StoredText> {
  const response = await send('GET row', { row, version });
  return { text: await response.text(), etag: response.headers.get('etag') ?? '' };
}

/** An action that would lose unsaved text, until it is confirmed. */
interface Asked {
  readonly yes: string;
  readonly act: () => void;
}

/** A row's text in its exact bytes: saved by the rules of a PUT, never over another's change. */
export function RowEditor({ row }: { row: string }) {
  const { data: history, error } = useLoad('GET row/versions', { row });
  const [draft, dispatch] = useReducer<RowDraft | undefined, DraftEvent>(nextDraft, undefined);
  const [version, setVersion] = useState<ShownVersion>();
  const [asked, setAsked] = useState<Asked>();
  /** The button that has opened the version. */
  const opener = useRef<Element | null>(null);
  const action = useAction();
  // The current draft when a response arrives, not the one of the request.
  const latest = useRef(draft);
  latest.current = draft;

  // Shows stored changes; unsaved text stays.
  useEffect(() => {
    if (history === undefined || isKnown(draft, history.etag)) return;
    read(row).then(
      (now) => dispatch({ kind: 'read', now, kept: draftOf(row) }),
      // It is read again when the emulator responds again.
      () => undefined,
    );
  }, [history]);
  // Keeps unsaved text, also if the page is left before the text has settled.
  const settled = useSettled(draft?.text);
  const keep = (): void => {
    const now = latest.current;
    if (now === undefined) return;
    keepDraft(row, isEdited(now) ? { text: now.text, etag: now.stored.etag } : undefined);
  };
  useEffect(keep, [settled, draft?.stored]);
  useEffect(() => keep, []);

  if (history === undefined || draft === undefined) {
    return (
      <>
        <Alert>{visible(error)}</Alert>
        {draft !== undefined && isEdited(draft) && (
          <pre tabIndex={0} role="region" aria-label="Unsaved text">
            {visibleLines(draft.text)}
          </pre>
        )}
      </>
    );
  }
  const { text, theirs, refused } = draft;
  const hidden = hiddenIn(text);
  const type = (written: string): void => dispatch({ kind: 'typed', text: written });
  /** Does what loses unsaved text; asks first if there is any. */
  const confirmed = (yes: string, act: () => void): void => {
    if (isEdited(draft)) setAsked({ yes, act });
    else act();
  };
  const undo = (): void => {
    dispatch({ kind: 'undone' });
    action.clear();
  };
  const save = (over?: StoredText): void => {
    if (action.isBusy) return;
    const findings = errorsOf(text, history);
    if (findings.length > 0) {
      action.clear();
      return dispatch({ kind: 'refused', findings });
    }
    dispatch({ kind: 'save', over });
    const expected = (over ?? draft.stored).etag;
    action.run(async () => {
      try {
        const raw = { type: 'application/json', body: text };
        const { etag } = await ask('POST row', { row, expected }, { raw });
        dispatch({ kind: 'saved', etag });
        announce('saved');
      } catch (failure) {
        const isChanged = failure instanceof ApiError && failure.code === 'row.changed';
        const now = isChanged ? await read(row).catch(() => undefined) : undefined;
        dispatch({ kind: 'failed', now });
        if (now === undefined) throw failure;
      }
    });
  };
  return (
    <>
      <RowFacts row={history} address={history.url} />
      <div class={version === undefined ? '' : 'split even'}>
        <div class="panel">
          <Size row={history} text={text} />
          <TextEditor
            label="Row as JSON"
            text={text}
            isInvalid={refused.length > 0}
            place={refused.find(({ line }) => line !== null)}
            onType={type}
            onSave={() => save()}
          />
          {hidden !== '' && (
            <p class="note">
              The row has characters that cannot be seen or that reorder text:{' '}
              <code class="value">{visible(hidden)}</code>
            </p>
          )}
          <Alert>{visible(action.error)}</Alert>
          {refused.length > 0 && <Refused findings={refused} />}
          {theirs !== undefined && (
            <Changed
              theirs={theirs}
              text={text}
              onTake={() => confirmed('Take the stored row', undo)}
              onKeep={() => save(theirs)}
            />
          )}
          <div class="actions">
            <Button class="primary" isOff={action.isBusy} onClick={() => save()}>
              Save
            </Button>
            <Button onClick={() => type(formatted(text))}>Format</Button>
            <Button isOff={!isEdited(draft)} onClick={() => confirmed('Undo edits', undo)}>
              Undo edits
            </Button>
            <span class="secondary" role="status" aria-label="Edits">
              {isEdited(draft) ? 'edited, not saved' : ''}
            </span>
            <Commands list={[`lectern emulator show row ${quoted(row)} --put row.json`]} />
          </div>
        </div>
        {version !== undefined && (
          <RowVersion
            version={version}
            text={text}
            onRestore={() => confirmed('Restore into the editor', () => type(version.text))}
            onClose={() => {
              if (opener.current instanceof HTMLElement) opener.current.focus();
              setVersion(undefined);
            }}
          />
        )}
      </div>
      <RowHistory
        history={history}
        onShow={(number) => {
          opener.current = document.activeElement;
          action.run(async () => setVersion({ number, text: (await read(row, number)).text }));
        }}
      />
      {asked !== undefined && (
        <Question
          text="The text in the editor is not saved. It will be lost."
          yes={asked.yes}
          onYes={asked.act}
          onNo={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/** Whether the draft knows the version that is stored now, as its own or as somebody else's. */
function isKnown(draft: RowDraft | undefined, etag: string): boolean {
  return draft !== undefined && etag === (draft.theirs ?? draft.stored).etag;
}

function errorsOf(text: string, { kind }: Row): Finding[] {
  return validateRow(text, { kind }).filter(({ severity }) => severity === 'error');
}

function Refused({ findings }: { findings: readonly Finding[] }) {
  return (
    <Alert>
      <ul class="findings">
        {findings.map((each) => (
          <li key={each.code + each.path}>
            {positionText(each)}
            {visible(each.message)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** Shown when somebody else has written the row since it was read. */
function Changed(props: {
  theirs: StoredText;
  text: string;
  onTake: () => void;
  onKeep: () => void;
}) {
  const { theirs, text, onTake, onKeep } = props;
  return (
    <Alert>
      <p>
        The row was changed elsewhere; nothing was overwritten. The diff from the stored row to
        yours:
      </p>
      <LineDiff name="From the stored row to yours" old={theirs.text} now={text} />
      <div class="actions">
        <Button onClick={onTake}>Take the stored row</Button>
        <Button onClick={onKeep}>Overwrite it with mine</Button>
      </div>
    </Alert>
  );
}

/** The used part of the limit, by the compact size. */
function Size({ row, text }: { row: Row; text: string }) {
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

/** Formatted JSON; other text unchanged. */
function formatted(text: string): string {
  return validateRow(text).some(({ code }) => code === 'body.syntax') ? text : reformat(text);
}

function positionText({ line, column, path }: Finding): string {
  if (line !== null) return `line ${line}, column ${column}: `;
  return path === '' ? '' : `${visible(path)}: `;
}

/*
 * Unsaved edits of rows. They are kept in the tab, so that another page, a reload or a restart of
 * the emulator does not lose them.
 */

const PREFIX = 'lectern-console-draft ';

function draftOf(row: string): StoredText | undefined {
  const kept = sessionStorage.getItem(PREFIX + row);
  return kept === null ? undefined : (JSON.parse(kept) as StoredText);
}

function keepDraft(row: string, draft: StoredText | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(PREFIX + row);
    else sessionStorage.setItem(PREFIX + row, JSON.stringify(draft));
  } catch {
    // The storage of the tab is full: the page itself still has the text.
  }
}

/** The rows with unsaved edits in this tab. */
export function drafts(): readonly string[] {
  return Object.keys(sessionStorage).flatMap((key) =>
    key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : [],
  );
}
