import { readLaunch, type Claims } from '../../../src/contract/index.ts';
import { worldOf } from '../../../src/cli/observe/observe.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import { observe, type ObserverOptions } from '../../../src/observe/observer.ts';
import { CONTROL_PREFIX } from '../../../src/control-request.ts';
import { atEnd } from '../../support/scope.ts';

const CONTROL_TOKEN = 'control-token-of-this-test';

/** Observes the service of a launch, or the callback of a tool, until the test ends. */
export async function observed(claims: Claims | undefined, options: Partial<ObserverOptions> = {}) {
  const observer = await observe({
    launch: claims && readLaunch(claims),
    seedOf: worldOf,
    controlToken: CONTROL_TOKEN,
    ...options,
  });
  atEnd(observer.close);
  /** Calls its control API: a GET, or a POST of a body. */
  const control = async <Answer = Record<string, unknown>>(
    path: string,
    body?: object,
  ): Promise<Answer> => {
    const response = await fetch(observer.url + CONTROL_PREFIX + path, {
      headers: { authorization: `Bearer ${CONTROL_TOKEN}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await response.json()) as Answer;
  };
  return { ...observer, control, report: () => control<Answers['GET report']>('report') };
}
