import { runProcess } from './main.ts';
import { KEYCHAIN_COMMAND } from './adapters/keychain.ts';

/** What the single executable starts with: it is Node and lectern in one file (docs/decisions/0016). */
if (process.argv[2] === KEYCHAIN_COMMAND) {
  void import('./adapters/keychain-answer.ts').then(({ answerKeychain }) => answerKeychain());
} else {
  runProcess(process);
}
