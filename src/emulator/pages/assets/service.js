/**
 * Runs first in every page of a hosted tool. It offers the claims of the launch, and tells the tool
 * when a call was refused because the launch's token ended (contract, Events 1):
 *
 *   const { claims } = await window.service.launch();
 *   element.addEventListener('service-session-expired', (event) => event.preventDefault());
 *
 * How the service hands over the claims is not shown: `window.service` is lectern's reading of it.
 */
(() => {
  const EVENT = 'service-session-expired';
  const ticket = document.currentScript.src.split('?')[1];
  const address = (name) => `${location.origin}/_service/${ticket}/${name}`;
  const { fetch: ownFetch, XMLHttpRequest: Xhr } = window;

  const launched = ownFetch
    .call(window, address('launch.json'))
    .then((answer) => answer.json())
    .then((launch) => {
      known = launch;
      return launch;
    });
  // Told to whoever asks for the claims.
  launched.catch(() => {});
  let known;

  window.service = Object.freeze({
    /** The claims of the launch that this frame is for: a promise of `{ claims }`. */
    launch: async () => ({ claims: structuredClone((await launched).claims) }),
  });

  /** Whether a call carries the launch's token to the service. */
  function isOwn(url, authorization) {
    if (known === undefined || !authorization) return false;
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (token !== known.claims.api.token) return false;
    return new URL(url, document.baseURI).origin === new URL(known.service).origin;
  }

  window.fetch = function fetch(input, init) {
    const call = seen(input, init);
    const answer = ownFetch.apply(this, call.args);
    answer.then(
      ({ status }) => {
        if (status === 401 && isOwn(call.url, call.authorization)) void refused();
      },
      () => {},
    );
    return answer;
  };

  /** A call's address and its credential, read before the call: both may be changed after it. */
  function seen(input, init) {
    try {
      const url = input instanceof Request ? input.url : String(input);
      if (init?.headers === undefined) {
        const authorization = input instanceof Request && input.headers.get('authorization');
        return { url, authorization, args: init === undefined ? [input] : [input, init] };
      }
      // Headers may be given as what can be read only once.
      const headers = new Headers(init.headers);
      const args = [input, Object.create(init, { headers: { value: headers } })];
      return { url, authorization: headers.get('authorization'), args };
    } catch {
      return { url: '', authorization: '', args: [input, init] };
    }
  }

  const requests = new WeakMap();
  const { open, setRequestHeader } = Xhr.prototype;
  Xhr.prototype.open = function (...args) {
    if (!requests.has(this)) {
      this.addEventListener('load', () => {
        const { url, authorization } = requests.get(this);
        if (this.status === 401 && isOwn(url, authorization)) void refused();
      });
    }
    requests.set(this, { url: String(args[1]), authorization: '' });
    return open.apply(this, args);
  };
  Xhr.prototype.setRequestHeader = function (name, value) {
    const request = requests.get(this);
    if (request && String(name).toLowerCase() === 'authorization') request.authorization = value;
    return setRequestHeader.call(this, name, value);
  };

  // Which listeners there are is not shown to a page, so those of this event are wrapped.
  let ran = false;
  const wrappers = new WeakMap();
  const wrapped = (listener) => {
    if (!wrappers.has(listener)) {
      wrappers.set(listener, function (event) {
        ran = true;
        if (typeof listener === 'function') return listener.call(this, event);
        return listener.handleEvent(event);
      });
    }
    return wrappers.get(listener);
  };
  for (const name of ['addEventListener', 'removeEventListener']) {
    const original = EventTarget.prototype[name];
    EventTarget.prototype[name] = function (type, listener, options) {
      const isOwnEvent = type === EVENT && listener !== null && listener !== undefined;
      return original.call(this, type, isOwnEvent ? wrapped(listener) : listener, options);
    };
  }

  /** The tool's element: the one that says so, else the first custom element, else the body. */
  function toolElement() {
    const marked = document.querySelector('[data-service-tool]');
    if (marked) return marked;
    for (const element of document.body?.getElementsByTagName('*') ?? []) {
      if (element.localName.includes('-') && element instanceof HTMLElement) return element;
    }
    return document.body ?? document.documentElement;
  }

  let isAsking = false;
  let hasExpired = false;
  /**
   * Asks whether the token ended: a 401 may have another cause. The service is asked after the event
   * too, so that it knows of each refusal that the page has seen.
   */
  async function refused() {
    if (isAsking) return;
    isAsking = true;
    try {
      const answer = await ownFetch.call(window, address('session'), { method: 'POST' });
      const { ended } = await answer.json();
      if (ended) expire();
    } catch {
      // The next refusal asks again.
    } finally {
      isAsking = false;
    }
  }

  /** A launch ends once, so a page hears of it once. */
  function expire() {
    if (hasExpired) return;
    hasExpired = true;
    const { launch_id } = known.claims;
    ran = false;
    const event = new CustomEvent(EVENT, {
      bubbles: true,
      composed: true,
      cancelable: true,
      detail: { launch_id },
    });
    const isHandled = !toolElement().dispatchEvent(event);
    const told = { type: EVENT, launch_id, handled: isHandled, listened: ran };
    window.parent.postMessage(told, new URL(known.service).origin);
    if (!isHandled) location.replace(`${location.origin}/_service/ended`);
  }
})();
