import { startBinary } from '../support/binary.ts';
import type { Running, RunOptions } from '../support/lectern.ts';
import { waitingFor } from '../support/scope.ts';
import type { Course, Held, Moment } from './course-service.ts';

/** A lectern that is running. */
export interface Started extends Running {
  /** Resolves when standard error holds a text; rejects when it ends without. */
  readonly says: (text: string) => Promise<void>;
}

/** Starts the built binary on the launch of a course. */
export function start(course: Course, args: readonly string[], options: RunOptions = {}): Started {
  const env = { LECTERN_LAUNCH: course.launch, ...options.env };
  const running = startBinary(args, { ...options, env });
  running.stdin.end(options.input ?? '');
  const { ended, output } = running;
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (output.stderr.includes(text) && resolve());
      running.stderr.on('data', look);
      look();
      ended.then(() => reject(new Error(`it ended without "${text}": ${output.stderr}`)), reject);
    });
  return { ...running, says: (text) => waitingFor(`"${text}" on standard error`, says(text)) };
}

/** Starts the built binary, and resolves when the course has come to a moment, which it holds. */
export async function startUntil(
  course: Course,
  moment: Moment,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Started & { held: Held }> {
  const reached = course.moment(moment);
  const started = start(course, args, options);
  const tooSoon = started.ended.then(({ exit, stderr }): never => {
    throw new Error(`it ended with ${exit} before ${moment.method} was ${moment.stage}: ${stderr}`);
  });
  return { ...started, held: await Promise.race([reached, tooSoon]) };
}
