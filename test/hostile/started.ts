import { startBinary } from '../support/binary.ts';
import type { Running, RunOptions } from '../support/lectern.ts';
import { waitingFor } from '../support/scope.ts';
import type { Course, Held, Moment } from './course-service.ts';

/** A lectern that is running. */
export interface Started extends Running {
  /** Resolves when standard error holds a text; rejects when it ends without. */
  readonly says: (text: string) => Promise<void>;
}

interface StartOptions extends RunOptions {
  /** The built binary unless given. */
  readonly starts?: (args: readonly string[], options: RunOptions) => Running;
}

/** Starts lectern on the launch of a course, with an end to its standard input. */
export function start(
  { launch }: Course,
  args: readonly string[],
  { starts = startBinary, input = '', ...options }: StartOptions = {},
): Started {
  const running = starts(args, { ...options, env: { LECTERN_LAUNCH: launch } });
  running.stdin.end(input);
  return {
    ...running,
    says: (text) => waitingFor(`"${text}" on standard error`, written(running, text)),
  };
}

function written(running: Running, text: string): Promise<void> {
  const { ended, output, stderr } = running;
  return new Promise((resolve, reject) => {
    const look = (): void => void (output.stderr.includes(text) && resolve());
    stderr.on('data', look);
    look();
    ended.then(() => reject(new Error(`it ended without "${text}": ${output.stderr}`)), reject);
  });
}

/** Starts lectern, and resolves when the course has come to a moment, which it holds. */
export async function startUntil(
  course: Course,
  moment: Moment,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Started & { held: Held }> {
  const reached = course.moment(moment);
  const started = start(course, args, options);
  const tooSoon = started.ended.then(({ exit, stderr }): never => {
    throw new Error(`it ended with ${exit} before ${moment.method} was ${moment.stage}: ${stderr}`);
  });
  return { ...started, held: await Promise.race([reached, tooSoon]) };
}
