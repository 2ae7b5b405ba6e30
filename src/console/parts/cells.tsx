import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS, scoreText } from '../../contract/index.ts';
import type { Attempt, Token } from '../api.ts';
import { Status } from '../components.tsx';
import { durationText, endedText } from '../text.ts';
import { personText } from './list-page.tsx';

/** The cells of a list of attempts. */
export const ATTEMPT_CELLS = {
  status: ({ status }: Attempt) => (
    <Status tone={status === 'success' ? 'good' : 'bad'}>{status}</Status>
  ),
  name: personText,
  score: ({ score, max_score: max }: Attempt) => scoreText(score, max),
};

/** The cells of a list of tokens. */
export const TOKEN_CELLS = {
  ended: ({ ended }: Token) =>
    ended === '' ? (
      <Status tone="good">live</Status>
    ) : (
      <Status tone="plain">{endedText(ended)}</Status>
    ),
  seconds_left: (token: Token) => <TimeLeft token={token} />,
  name: (token: Token) => (token.kind === 'provision' ? 'provision request' : personText(token)),
};

function TimeLeft({ token }: { token: Token }) {
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
