// undici's one entry loads all of it (fetch, WebSocket, caches, mocks): twice the start-up of the
// part that is used here. Its types name only the entry.
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  export { EnvHttpProxyAgent as default } from 'undici';
}
