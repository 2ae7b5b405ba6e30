import { useEffect, useState } from 'preact/hooks';
import { emulatorLine } from '../../control-api/command-line.ts';
import { ask, type Taken } from '../api.ts';
import { Alert, Button, Commands, announce, LaunchLink } from '../components.tsx';
import { useAction, useLoad } from '../hooks.ts';
import { ListPage } from '../parts/list-page.tsx';
import { TOKEN_CELLS } from '../parts/cells.tsx';
import { filterValue } from '../router.ts';
import { countText, durationText, momentText, visible } from '../text.ts';

const HOUR = 3600;
const STEPS = [
  ['+1 hour', HOUR],
  ['+3 hours', 3 * HOUR],
  ['+12 hours', 12 * HOUR],
  ['+1 day', 24 * HOUR],
] as const;

/** The moves of a clock that is `ahead` seconds ahead of the machine's, with the time that each adds. */
function movesFrom(ahead: number) {
  return [
    ...STEPS.map(([name, seconds]) => ({ name, seconds, body: { advance_seconds: seconds } })),
    { name: 'Back to now', seconds: Math.max(0, -ahead), body: { machine: true } as const },
  ];
}

export function ClockPage() {
  const { data: clock, error } = useLoad('GET clock');
  const ahead = (clock?.offset_ms ?? 0) / 1000;
  const moves = movesFrom(ahead);
  const seconds = moves.map((each) => each.seconds).join(',');
  const { data: ends } = useLoad('GET clock/ends', { seconds });
  const action = useAction();
  const [last, setLast] = useState(emulatorLine('GET clock'));
  const move = (body: Taken['POST clock']): void =>
    action.run(async () => {
      const moved = await ask('POST clock', body);
      setLast(emulatorLine('POST clock', body));
      announce(`it is ${moved.iso} in the emulator`);
    });
  const endedBy = (each: number): number =>
    ends?.ends.find((one) => one.seconds === each)?.ended ?? 0;
  const offset = Math.round(ahead);
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
          {moves.map(({ name, seconds: by, body }) => (
            <li key={name}>
              <Button
                isOff={action.isBusy || ('machine' in body && offset === 0)}
                onClick={() => move(body)}
              >
                {name}
              </Button>
              <span class="secondary">
                ends {endedBy(by) === 0 ? 'none' : countText(endedBy(by), 'token')}
              </span>
            </li>
          ))}
        </ul>
        <Alert>{visible(action.error)}</Alert>
      </div>
      <ListPage
        list="tokens"
        section="Tokens by their end"
        name="Tokens by their end"
        given={{ live: true, sort: filterValue('sort') || 'seconds_left' }}
        student=""
        empty={() => 'No token is live. A launch creates one.'}
        keyOf={({ launch_id: id }) => id}
        cells={{
          ...TOKEN_CELLS,
          launch_id: ({ launch_id: id }) => <LaunchLink id={id} />,
        }}
      />
    </>
  );
}

/** The emulator's time, which continues between two answers. */
function Ticking({ from }: { from: number }) {
  const [now, setNow] = useState(from);
  useEffect(() => {
    const ahead = from - Date.now();
    setNow(from);
    const timer = setInterval(() => setNow(Date.now() + ahead), 1000);
    return () => clearInterval(timer);
  }, [from]);
  return <time dateTime={new Date(now).toISOString()}>{momentText(now)}</time>;
}
