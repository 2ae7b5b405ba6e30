/** A channel to the other pages of this origin. */
export function openChannel<Message>(name: string) {
  const channel = new BroadcastChannel(name);
  return {
    post: (message: Message): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only, and takes no target
      channel.postMessage(message);
    },
    listen: (take: (message: Message) => void): void => {
      channel.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data));
    },
  };
}
