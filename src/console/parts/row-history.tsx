import { useMemo } from 'preact/hooks';
import { bytesText } from '../../contract/index.ts';
import { hunkHead, lineHunks } from '../../diff/index.ts';
import type { Answers } from '../api.ts';
import { Button, LaunchLink, Section, Status } from '../components.tsx';
import { useSettled } from '../hooks.ts';
import { layOut, quoted, timeText, visibleLines } from '../text.ts';

/** The maximum number of shown lines; more would block the page. */
const SHOWN_LINES = 2000;

/** The line diff of two rows, like `lectern storage diff`. */
export function LineDiff({ name, old, now }: { name: string; old: string; now: string }) {
  // A diff of a megabyte takes a moment, so it is not made for each letter.
  const settled = useSettled(now, 300);
  const lines = useMemo(() => {
    // A draft may not be JSON yet.
    const hunks = lineHunks(layOut(old) ?? old, layOut(settled) ?? settled);
    return hunks.flatMap((hunk) => [hunkHead(hunk)].concat(hunk.lines));
  }, [old, settled]);
  if (lines.length === 0) return <p class="secondary">No differences.</p>;
  return (
    <>
      <pre class="diff" tabIndex={0} role="region" aria-label={name}>
        {lines.slice(0, SHOWN_LINES).map((line, index) => (
          <span key={index} class={KINDS[line[0] ?? '']}>
            {visibleLines(line)}
            {'\n'}
          </span>
        ))}
      </pre>
      {lines.length > SHOWN_LINES && (
        <p class="secondary">
          the first {SHOWN_LINES} of {lines.length} lines
        </p>
      )}
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { '-': 'gone', '+': 'added', '@': 'secondary' };

export interface ShownVersion {
  readonly number: number;
  readonly text: string;
}

/** A longer text would block the page. */
const SHOWN_CHARACTERS = 20_000;

/** A version compared with the draft, and its text. */
export function RowVersion(props: {
  version: ShownVersion;
  text: string;
  onRestore: () => void;
  onClose: () => void;
}) {
  const {
    version: { number, text: stored },
    text,
    onRestore,
    onClose,
  } = props;
  return (
    <Section
      name={`Version ${number}`}
      actions={
        <Button class="small" onClick={onClose}>
          Close
        </Button>
      }
    >
      <h3>From version {number} to the editor</h3>
      <LineDiff name={`From version ${number} to the editor`} old={stored} now={text} />
      <h3>Its text</h3>
      <pre tabIndex={0} role="region" aria-label={`Text of version ${number}`}>
        {visibleLines(stored.slice(0, SHOWN_CHARACTERS))}
        {stored.length > SHOWN_CHARACTERS && '…'}
      </pre>
      <div class="actions">
        <Button onClick={onRestore}>Restore into the editor</Button>
      </div>
    </Section>
  );
}

/** The author of a version that was not written through the service. */
const WRITERS: Readonly<Record<string, string>> = {
  start: 'there when the emulator started',
  import: 'from an import',
  fixture: 'by emulator fixture',
  chaos: 'injected faults (--chaos)',
};

export function RowHistory(props: {
  history: Answers['GET row/versions'];
  onShow: (version: number) => void;
}) {
  const { history, onShow } = props;
  const { versions } = history;
  return (
    <Section
      name="History"
      commands={[`lectern emulator show row ${quoted(history.row)} --versions`]}
    >
      {versions.length === 0 ? (
        <p class="secondary">
          {history.bytes === null
            ? 'The row was never written. It reads as {}.'
            : 'Its versions were dropped: 32 MB are kept for all rows.'}
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
                    by launch <LaunchLink id={launch} />
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
    </Section>
  );
}
