import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import { emulatorLine, verbLine } from '../../control-api/command-line.ts';
import { TAKEN } from '../../control-api/taken.ts';
import { ask } from '../api.ts';
import { Alert, Button, Commands, done, Link, Status } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { pageAsked, Pager, PastEnd, Search, Table } from '../lists.tsx';
import { FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { filterValue, setFilters } from '../router.ts';
import type { Token } from '../api.ts';
import { durationText, endedText, timeText, visible } from '../text.ts';

export function TokensPage(): JSX.Element {
  const asked = pageAsked();
  const live = filterValue('live') === 'true';
  const { data, error } = useLoad('GET tokens', { ...asked, live: live || undefined });
  const asStudent = useStudentCommands('');
  const action = useAction();
  const [last, setLast] = useState('');
  const end = (id: string): void =>
    action.run(async () => {
      await ask('POST token/end', { launch_id: id });
      setLast(id);
      done.value = 'the token has ended';
    });
  // The one that was ended here, else the first that can be.
  const first = data?.items.find(({ ended }) => ended === '')?.launch_id;
  const shownId = data !== undefined && data.total > 0 ? last || first : undefined;
  const commands = [
    ...(data?.total === 0 ? asStudent : []),
    emulatorLine('GET tokens', { search: asked.search, live }),
    ...(shownId === undefined
      ? []
      : [verbLine('token end', TAKEN.tokenEnd, { launch_id: shownId })]),
  ];
  return (
    <>
      <div class="bar">
        <Search placeholder="person, tool, launch" />
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
        <Pager page={data} />
        <Commands list={commands} />
      </div>
      <Alert>{visible(error || action.error)}</Alert>
      <PastEnd page={data} />
      {data?.total === 0 ? (
        <FilledByStudent>
          {asked.search === '' && !live
            ? 'No token was issued yet. Each launch issues one.'
            : 'No token matches.'}
        </FilledByStudent>
      ) : (
        <Table
          name="Tokens"
          items={data?.items ?? []}
          keyOf={({ launch_id: id }) => id}
          columns={[
            { name: 'State', class: 'fit', cell: (token) => <TokenState token={token} /> },
            {
              name: 'Time left',
              class: 'fit',
              sort: 'expires',
              cell: (token) => <TimeLeft token={token} />,
            },
            {
              name: 'Person',
              class: 'fit',
              sort: 'person',
              cell: ({ name, member, kind }) =>
                kind === 'provision' ? 'provision request' : visible(name || member),
            },
            {
              name: 'Placement',
              class: 'least fit',
              sort: 'placement',
              cell: ({ location }) => <code>{visible(location)}</code>,
            },
            {
              name: 'Issued',
              class: 'least fit',
              sort: 'issued',
              cell: ({ issued }) => timeText(issued),
            },
            {
              name: 'Launch',
              class: 'least fit',
              cell: (token) => <code>{token.launch_id}</code>,
            },
            {
              name: 'Actions',
              cell: ({ launch_id: id, kind, ended }) => (
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
              ),
            },
          ]}
        />
      )}
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
