import { scoreText } from '../../contract/index.ts';
import type { Attempt } from '../api.ts';
import { Status } from '../components.tsx';
import { personText } from './list-page.tsx';

/** The cells of a list of attempts. */
export const ATTEMPT_CELLS = {
  status: ({ status }: Attempt) => (
    <Status tone={status === 'success' ? 'good' : 'bad'}>{status}</Status>
  ),
  name: personText,
  score: ({ score, max_score: max }: Attempt) => scoreText(score, max),
};
