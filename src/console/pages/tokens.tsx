import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import { verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask } from '../api.ts';
import { Alert, Button, done, Link, Status } from '../components.tsx';
import { useAction } from '../hooks.ts';
import { ListPage, personText } from '../parts/list-page.tsx';
import { FilledByStudent } from '../parts/launch-student.tsx';
import { filterValue, setFilters } from '../router.ts';
import type { Token } from '../api.ts';
import { durationText, endedText, visible } from '../text.ts';

export function TokensPage(): JSX.Element {
  const live = filterValue('live') === 'true';
  const action = useAction();
  const [last, setLast] = useState('');
  const end = (id: string): void =>
    action.run(async () => {
      await ask('POST token/end', { launch_id: id });
      setLast(id);
      done.value = 'the token has ended';
    });
  return (
    <>
      <ListPage
        list="tokens"
        name="Tokens"
        find="person, tool, launch"
        given={{ live: live || undefined }}
        filters={
          <label class="check">
            <input
              type="checkbox"
              checked={live}
              onChange={({ currentTarget }) => {
                setFilters({ after: '', live: currentTarget.checked ? 'true' : '' });
              }}
            />
            Live only
          </label>
        }
        student=""
        commands={({ items }) => {
          // The one that was ended here, else the first that can be.
          const id = last || items.find(({ ended }) => ended === '')?.launch_id;
          return id === undefined ? [] : [verbLine('token end', TAKEN.tokenEnd, { launch_id: id })];
        }}
        empty={(isFiltered) => (
          <FilledByStudent>
            {isFiltered ? 'No token matches.' : 'No token was issued yet. Each launch issues one.'}
          </FilledByStudent>
        )}
        keyOf={({ launch_id: id }) => id}
        cells={{
          ended: (token) => <TokenState token={token} />,
          seconds_left: (token) => <TimeLeft token={token} />,
          name: (token) => (token.kind === 'provision' ? 'provision request' : personText(token)),
        }}
        actions={({ launch_id: id, kind, ended }) => (
          <div class="actions">
            {kind === 'launch' && (
              <Link page="launch" rest={id} class="button small">
                Open
              </Link>
            )}
            {ended === '' && (
              <Button class="small" isOff={action.isBusy} onClick={() => end(id)}>
                End
              </Button>
            )}
          </div>
        )}
      />
      <Alert>{visible(action.error)}</Alert>
    </>
  );
}

function TokenState({ token }: { readonly token: Token }): JSX.Element {
  if (token.ended === '') return <Status tone="good">live</Status>;
  const { ended } = token;
  return <Status tone="plain">{endedText(ended)}</Status>;
}

function TimeLeft({ token }: { readonly token: Token }): JSX.Element {
  if (token.ended !== '') return <span class="secondary">–</span>;
  const lifetime = (token.kind === 'launch' ? LAUNCH_TOKEN_IDLE_MS : PROVISION_TOKEN_MS) / 1000;
  return (
    <span class="time-left">
      <meter
        aria-label="Time left"
        min={0}
        max={lifetime}
        low={lifetime / 12}
        value={token.seconds_left}
      >
        {durationText(token.seconds_left)}
      </meter>{' '}
      {durationText(token.seconds_left).replace(/(?<=\d) /g, '\u00A0')}
    </span>
  );
}
