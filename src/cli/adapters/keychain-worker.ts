import { answerKeychain } from './keychain-answer.ts';

/** The worker of a package, a file that Node runs. An executable has a command for it. */
await answerKeychain();
