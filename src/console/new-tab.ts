import { session, signIn } from './api.ts';
import { openChannel } from './channel.ts';

/*
 * Signs in a new tab that was opened by a link. The original tab records that one of its links may
 * be opened elsewhere; a tab without a session asks for its own address, and gets one answer for
 * each link, through a channel that only pages of this origin receive. The session is not in an
 * address, cookie or storage that tabs share.
 */

type Message =
  | { readonly kind: 'ask'; readonly id: string; readonly address: string }
  | { readonly kind: 'answer'; readonly id: string; readonly session: string };

const { post, listen } = openChannel<Message>('lectern-console-new-tab');

/** How long a context menu may be open before one of its entries opens a tab. */
const OFFER_MS = 60_000;
/** When an offer of a link's address ends. */
const offers = new Map<string, number>();

/** Lets a new tab at this address in, once. */
export function offerTo(href: string): void {
  offers.set(new URL(href, location.href).href, Date.now() + OFFER_MS);
}

/** Answers other tabs from now on, and asks them if this tab has no session. */
export async function startNewTabs(): Promise<void> {
  // Not randomUUID, which pages over http from another machine do not have.
  const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
  let answered = (): void => {};
  listen((message) => {
    if (message.kind === 'ask') return answer(message);
    if (message.id !== id || session.value !== undefined) return;
    signIn(message.session);
    answered();
  });
  if (session.value !== undefined) return;
  post({ kind: 'ask', id, address: location.href });
  // Most tabs without a session were not opened by a link: they show how to get one.
  await new Promise<void>((resolve) => {
    answered = resolve;
    setTimeout(resolve, ANSWER_MS);
  });
}

/** How long a tab waits for an answer before it shows that it has no session. */
const ANSWER_MS = 150;

function answer({ id, address }: Extract<Message, { kind: 'ask' }>): void {
  const until = offers.get(address) ?? 0;
  const own = session.value;
  if (own === undefined || Date.now() > until) return;
  offers.delete(address);
  post({ kind: 'answer', id, session: own });
}
