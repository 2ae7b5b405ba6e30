import { render } from 'preact';
import { enter } from './api.ts';
import { App } from './app.tsx';
import { startFocusKeeper } from './focus.ts';
import { startKeys } from './keys.tsx';
import { startLive } from './live.ts';
import { startNewTabs } from './new-tab.ts';

await enter();
addEventListener('hashchange', () => void enter());
await startNewTabs();
startKeys();
startFocusKeeper();
startLive();
render(<App />, document.body);
