import { render } from 'preact';
import { enter } from './api.ts';
import { App } from './app.tsx';
import { startKeys } from './keys.tsx';
import { startLive } from './live.ts';

await enter();
addEventListener('hashchange', () => void enter());
startKeys();
startLive();
render(<App />, document.body);
