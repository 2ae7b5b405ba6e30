import { readLaunch, type Claims } from '../../../src/contract/index.ts';
import { worldOf } from '../../../src/cli/observe/observe.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import { observe, type ObserverOptions, type Observer } from '../../../src/observe/observer.ts';
import { CONTROL_PREFIX } from '../../../src/control-request.ts';
import { atEnd } from '../../support/scope.ts';

const CONTROL_TOKEN = 'control-token-of-this-test';

interface ObservedService extends Observer {
  /** A GET of its control API. */
  readonly control: <Answer = Record<string, unknown>>(path: string) => Promise<Answer>;
  readonly report: () => Promise<Answers['GET report']>;
}

/** Observes the service of a launch, or the callback of a tool, until the test ends. */
export async function observed(
  claims: Claims | undefined,
  options: Partial<ObserverOptions> = {},
): Promise<ObservedService> {
  const observer = await observe({
    launch: claims && readLaunch(claims),
    seedOf: worldOf,
    controlToken: CONTROL_TOKEN,
    ...options,
  });
  atEnd(observer.close);
  const control = async <Answer>(path: string): Promise<Answer> => {
    const response = await fetch(observer.url + CONTROL_PREFIX + path, {
      headers: { authorization: `Bearer ${CONTROL_TOKEN}` },
    });
    return (await response.json()) as Answer;
  };
  return { ...observer, control, report: () => control('report') };
}
