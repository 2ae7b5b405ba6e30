import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { emulatorLine } from '../../control-api/command-line.ts';
import { ask } from '../api.ts';
import { Alert, Button, Commands, done, Link, Section } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { Table } from '../lists.tsx';
import { FilledByStudent, useStudentCommands } from '../parts/launch-student.tsx';
import { countText, durationText, momentText, timeText, visible } from '../text.ts';

const HOUR = 3600;
const MOVES = [
  { name: '+1 hour', seconds: HOUR },
  { name: '+3 hours', seconds: 3 * HOUR },
  { name: '+12 hours', seconds: 12 * HOUR },
  { name: '+1 day', seconds: 24 * HOUR },
];

export function ClockPage(): JSX.Element {
  const { data: clock, error } = useLoad('GET clock');
  const seconds = MOVES.map((each) => each.seconds).join(',');
  const { data: ends } = useLoad('GET clock/ends', { seconds });
  const action = useAction();
  const [last, setLast] = useState(emulatorLine('GET clock'));
  const move = (body: object): void =>
    action.run(async () => {
      const moved = await ask('POST clock', body);
      setLast(emulatorLine('POST clock', body));
      done.value = `it is ${moved.iso} in the emulator`;
    });
  const asStudent = useStudentCommands('');
  const endedBy = (each: number): number =>
    ends?.ends.find((one) => one.seconds === each)?.ended ?? 0;
  const offset = Math.round((clock?.offset_ms ?? 0) / 1000);
  return (
    <>
      <p class="lead">
        Tokens live by the emulator's own clock. Move it, and overdue tokens end at once. An ended
        token stays ended.
      </p>
      <Alert>{error}</Alert>
      <div class="panel clock">
        <div class="panel-head">
          <p class="now">
            {clock !== undefined && <Ticking from={clock.now} />} <span class="secondary">UTC</span>
          </p>
          <Commands list={[last]} />
        </div>
        <p class="secondary" role="status" aria-label="Offset">
          {offset === 0
            ? "as the machine's clock"
            : `${durationText(Math.abs(offset))} ${offset > 0 ? 'ahead of' : 'behind'} the machine's clock`}
        </p>
        <ul class="moves">
          {MOVES.map(({ name, seconds: by }) => (
            <li key={name}>
              <Button isOff={action.isBusy} onClick={() => move({ advance_seconds: by })}>
                {name}
              </Button>
              <span class="secondary">
                ends {endedBy(by) === 0 ? 'none' : countText(endedBy(by), 'token')}
              </span>
            </li>
          ))}
          <li>
            <Button isOff={action.isBusy || offset === 0} onClick={() => move({ machine: true })}>
              Back to now
            </Button>
            <span class="secondary">ends none</span>
          </li>
        </ul>
        <Alert>{visible(action.error)}</Alert>
      </div>
      <Section
        name="Tokens by their end"
        actions={
          <>
            {ends !== undefined && ends.live > ends.tokens.length && (
              <span class="secondary">
                the first {ends.tokens.length} of {ends.live.toLocaleString('en')}
              </span>
            )}
            <Link page="tokens">All tokens</Link>
          </>
        }
        commands={[...asStudent, emulatorLine('GET tokens', { live: true })]}
      >
        {ends?.tokens.length === 0 ? (
          <FilledByStudent>No token is live. A launch creates one.</FilledByStudent>
        ) : (
          <Table
            name="Tokens by their end"
            items={ends?.tokens ?? []}
            keyOf={({ launch_id: id }) => id}
            columns={[
              {
                name: 'Ends in',
                sort: (each) => each.seconds_left,
                cell: (each) => durationText(each.seconds_left),
              },
              {
                name: 'At',
                class: 'least fit',
                cell: (each) => timeText(each.expires),
              },
              {
                name: 'Person',
                class: 'fit',
                sort: ({ name, member }) => name || member,
                cell: ({ name, member }) => visible(name || member || 'provision request'),
              },
              {
                name: 'Tool',
                class: 'minor',
                sort: ({ tool }) => tool,
                cell: ({ tool }) => <code>{visible(tool)}</code>,
              },
              {
                name: 'Launch',
                class: 'minor fit',
                cell: ({ launch_id: id }) => (
                  <Link page="launch" rest={id}>
                    <code>{id}</code>
                  </Link>
                ),
              },
            ]}
          />
        )}
      </Section>
    </>
  );
}

/** The emulator's time, which continues between two answers. */
function Ticking({ from }: { readonly from: number }): JSX.Element {
  const [now, setNow] = useState(from);
  useEffect(() => {
    const ahead = from - Date.now();
    setNow(from);
    const timer = setInterval(() => setNow(Date.now() + ahead), 1000);
    return () => clearInterval(timer);
  }, [from]);
  return <time dateTime={new Date(now).toISOString()}>{momentText(now)}</time>;
}
