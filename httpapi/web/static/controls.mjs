// The buttons on the map: nearer, further, where I am, and which sites see a point.
import { calm, element } from './dom.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Point} Point */

const held = 600,
  still = 8; // milliseconds and pixels of a long press

/** rounded has as many digits as a metre needs. @param {Point} p @returns {Point} */
export const rounded = (p) => ({ lat: Number(p.lat.toFixed(5)), lng: Number(p.lng.toFixed(5)) });

/**
 * askable reports whether it can be asked who covers a point: a market whose maps are there may reach it.
 * @param {App} app @param {Point} p
 */
export const askable = (app, { lng, lat }) =>
  !app.config.key && // the page that answers takes none
  app.markets.some(({ coverage, bounds: [w, s, e, n] }) => coverage.length > 0 && lng >= w && lng <= e && lat >= s && lat <= n);

/** askWho shows who covers a point. @param {App} app @param {Point} p */
export const askWho = (app, p) => app.set({ at: rounded(p), site: '', from: null });

/** @param {App} app */
function locate(app) {
  const { words } = app,
    button = element('locate');
  // only secure contexts have a position; a button that cannot work is not there
  if (!isSecureContext || !navigator.geolocation) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    button.setAttribute('aria-busy', 'true');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        button.removeAttribute('aria-busy');
        const here = { lat: coords.latitude, lng: coords.longitude };
        if (askable(app, here)) askWho(app, here);
        app.go({ ...here, zoom: 14 });
        app.announce(words.located);
      },
      (e) => {
        button.removeAttribute('aria-busy');
        app.tell(e.code === e.PERMISSION_DENIED ? words.locateDenied : words.locateFailed);
      },
      { enableHighAccuracy: true, timeout: 15000, maximumAge: 60000 },
    );
  });
}

/**
 * ask starts the choice of a point: the next click on the map, or Enter for its middle.
 * @param {App} app @param {(p: Point) => void} chosen
 */
function pick(app, chosen) {
  const button = element('sees'),
    { map, words } = app;
  const off = () => {
    document.body.removeAttribute('data-picking');
    button.setAttribute('aria-pressed', 'false');
  };
  button.addEventListener('click', () => {
    if (document.body.hasAttribute('data-picking')) {
      off();
      return;
    }
    document.body.setAttribute('data-picking', '');
    button.setAttribute('aria-pressed', 'true');
    app.announce(words.pick);
    map?.getCanvas().focus();
  });
  addEventListener('keydown', (e) => {
    if (!document.body.hasAttribute('data-picking') || (e.key !== 'Escape' && e.key !== 'Enter')) return;
    if (e.target === button) return;
    e.preventDefault();
    off();
    if (e.key === 'Enter' && map) chosen(rounded(map.getCenter()));
  });
  return off;
}

/**
 * attach makes the buttons work. see is called with the point that somebody asks about. The result
 * reports whether a click chose a point.
 * @param {App} app @param {(p: Point) => void} see
 */
export function attach(app, see) {
  const { map } = app;
  if (!map) return () => false;
  element('controls').hidden = false;
  const move = { animate: !calm() };
  element('nearer').addEventListener('click', () => map.zoomIn(move));
  element('further').addEventListener('click', () => map.zoomOut(move));
  locate(app);
  const off = pick(app, see);
  map.on('contextmenu', (e) => {
    e.preventDefault();
    see(rounded(e.lngLat));
  });
  longPress(map, (p) => see(rounded(map.unproject(p))));
  return (/** @type {Point} */ p) => {
    if (!document.body.hasAttribute('data-picking')) return false;
    off();
    see(rounded(p));
    return true;
  };
}

/**
 * longPress is what phones have for the right button; iOS sends no such event of its own.
 * @param {import('maplibre-gl').Map} map @param {(p: [number, number]) => void} f
 */
function longPress(map, f) {
  let timer = 0;
  /** @type {{x: number, y: number} | null} */
  let from = null;
  const stop = () => {
    clearTimeout(timer);
    from = null;
  };
  map.on('touchstart', (e) => {
    stop();
    if (e.originalEvent.touches.length > 1) return;
    from = { x: e.point.x, y: e.point.y };
    timer = window.setTimeout(() => {
      if (from) f([from.x, from.y]);
      stop();
    }, held);
  });
  map.on('touchmove', (e) => {
    if (from && Math.hypot(e.point.x - from.x, e.point.y - from.y) > still) stop();
  });
  map.on('touchend', stop);
  map.on('touchcancel', stop);
  map.on('contextmenu', stop);
}
