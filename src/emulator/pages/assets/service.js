/**
 * Runs first in every page of a hosted tool. It offers the claims of the launch, and sends the tool an
 * event when a call was refused because the launch's token ended (contract, Events 1):
 *
 *   const { claims } = await window.service.launch();
 *   element.addEventListener('service-session-expired', (event) => event.preventDefault());
 *
 * It makes no request: a tool's own policy may allow none to the origin that the frame is on. What it
 * needs of the launch is put in front of it. Only in a page of a development server it asks the course
 * page, which answers that origin alone.
 *
 * How the service hands over the claims is not shown: `window.service` is lectern's reading of it.
 */
(() => {
  const EVENT = 'service-session-expired';
  /** The header of a 401 to a call whose token had ended: the ID of its launch. */
  const ENDED = 'lectern-session-ended';
  const { fetch: ownFetch, XMLHttpRequest: Xhr } = window;
  let known = window.lecternLaunch;
  delete window.lecternLaunch;
  const asked = known === undefined ? askCoursePage() : Promise.resolve();

  function askCoursePage() {
    const { origin: service } = new URL(document.currentScript.src);
    // Opened by itself, it has no launch.
    if (window.parent === window) return Promise.resolve();
    return new Promise((resolve) => {
      addEventListener('message', ({ source, origin, data }) => {
        if (source !== window.parent || origin !== service) return;
        if (data?.type !== 'lectern-launch') return;
        known = data.known;
        resolve();
      });
      window.parent.postMessage({ type: 'lectern-launch' }, service);
    });
  }

  window.service = Object.freeze({
    /** The claims of the launch that this frame is for: a promise of `{ claims }`. */
    launch: async () => {
      await asked;
      if (!known) throw new Error('this launch is gone: launch the tool again');
      return { claims: structuredClone(known.claims) };
    },
  });

  /** The tool sees its 401 first. */
  function look(status, header) {
    // Of a call to another origin, Chromium reports each look at a header as an error.
    if (status === 401 && header(ENDED) === known?.claims.launch_id) setTimeout(expire);
  }

  window.fetch = function fetch(...args) {
    const answer = ownFetch.apply(this, args);
    answer.then(
      ({ status, headers }) => look(status, (name) => headers.get(name)),
      () => {},
    );
    return answer;
  };

  const watched = new WeakSet();
  const { open } = Xhr.prototype;
  Xhr.prototype.open = function (...args) {
    if (!watched.has(this)) {
      watched.add(this);
      this.addEventListener('load', () =>
        look(this.status, (name) => this.getResponseHeader(name)),
      );
    }
    return open.apply(this, args);
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

  /** The tool's element: the marked one, else the first custom element, else the body. */
  function toolElement() {
    const marked = document.querySelector('[data-service-tool]');
    if (marked) return marked;
    for (const element of document.body?.getElementsByTagName('*') ?? []) {
      if (element.localName.includes('-') && element instanceof HTMLElement) return element;
    }
    return document.body ?? document.documentElement;
  }

  /** What came of the event; a launch ends once, so a page hears of it once. */
  let outcome;
  function expire() {
    outcome ??= dispatched();
    window.parent.postMessage(outcome, new URL(known.service).origin);
    if (!outcome.handled) location.replace(known.ended ?? `${location.origin}/_service/ended`);
  }

  function dispatched() {
    ran = false;
    const event = new CustomEvent(EVENT, {
      bubbles: true,
      composed: true,
      cancelable: true,
      detail: { launch_id: known.claims.launch_id },
    });
    const handled = !toolElement().dispatchEvent(event);
    return { type: EVENT, launch_id: known.claims.launch_id, handled, listened: ran };
  }

  // The course page asks for it where this page did not see the refusal, such as that of a Worker.
  addEventListener('message', (message) => {
    const { source, origin, data } = message;
    if (source !== window.parent || !known) return;
    if (origin !== new URL(known.service).origin) return;
    if (data?.type !== EVENT || data.launch_id !== known.claims.launch_id) return;
    message.stopImmediatePropagation();
    expire();
  });
})();
