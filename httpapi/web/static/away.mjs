// Without the server: what is shown then, how old it is, and where it is.
import { color, element, node } from './dom.mjs';
import { inside } from './geo.mjs';
import { areas } from './kept.mjs';
import { check } from './keep.mjs';
import { reload } from './sites.mjs';
import { none } from './state.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./kept.mjs').Area} Area */

const every = 20000, // milliseconds between questions whether the server is back
  soon = 4000; // in which it must answer

let away = false;

/** on writes a date. @param {App} app @param {string} date */
const on = ({ words }, date) => new Date(date).toLocaleDateString(words.locale, { dateStyle: 'long' });

/**
 * datesFor says when an area was kept, and from which edition.
 * @param {App} app @param {Area} area @param {string} text with a place for each
 */
export const datesFor = (app, area, text) =>
  text
    .replace('%s', on(app, area.kept))
    .replace('%s', [...new Set(Object.values(area.dates))].map((d) => on(app, d + 'T12:00:00')).join(', '));

/** addKept adds the outlines of what is kept. @param {App} app */
export function addKept({ map }) {
  map?.addSource('kept', { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  map?.addLayer({
    id: 'kept',
    type: 'line',
    source: 'kept',
    paint: { 'line-color': color('accent'), 'line-width': 2, 'line-dasharray': [3, 2] },
  });
  outline(map);
}

/** @param {App['map']} map */
function outline(map) {
  const source = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (map?.getSource('kept'));
  source?.setData({
    type: 'FeatureCollection',
    features: (away ? areas() : []).map(({ box: [w, s, e, n] }) => ({
      type: 'Feature',
      properties: {},
      geometry: { type: 'LineString', coordinates: [[w, s], [e, s], [e, n], [w, n], [w, s]] },
    })),
  });
}

/** see moves the map to an area. @param {App} app @param {Area} area */
export function see(app, { box }) {
  app.set({ ...none, layers: [] });
  app.map?.fitBounds(box, { animate: false });
}

/** say shows what of the view is kept while the server is silent. @param {App} app */
export function say(app) {
  const { words } = app,
    note = element('away');
  note.hidden = !away;
  if (!away) return;
  const all = areas(),
    here = all.find((a) => inside(a.box, app.view()));
  const to = node('button', { type: 'button', textContent: words.keptShow });
  to.addEventListener('click', () => see(app, all[0]));
  if (here) note.replaceChildren(datesFor(app, here, words.awayKept));
  else note.replaceChildren(words.awayElsewhere, ...(all.length > 0 ? [to] : []));
}

/** back asks the server itself: the browser may have answers of its own. */
const back = () =>
  fetch(url('/theme.css'), { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(soon) }).then(
    (answer) => answer.ok,
    () => false,
  );

/**
 * turn follows whether the server is silent.
 * @param {App} app @param {boolean} now @param {(away: boolean) => void} panel
 */
function turn(app, now, panel) {
  if (now === away) return;
  if (!now && app.config.kept) {
    const again = node('button', { type: 'button', textContent: app.words.reload });
    again.addEventListener('click', () => location.reload());
    element('away').replaceChildren(app.words.backAgain, again);
    return;
  }
  away = now;
  document.body.toggleAttribute('data-away', away);
  outline(app.map);
  panel(away);
  say(app);
  if (!away && app.map) reload(app.map, app);
}

/**
 * attach listens to the service worker.
 * @param {App} app @param {(away: boolean) => void} panel shows what can be kept
 */
export function attach(app, panel) {
  if (!navigator.serviceWorker) return; // plain HTTP
  check(app)
    .catch((e) => console.warn('the kept areas could not be checked:', e))
    .then(() => panel(away));
  navigator.serviceWorker.addEventListener('message', () => turn(app, true, panel));
  const look = async () => away && (await back()) && turn(app, false, panel);
  setInterval(look, every);
  addEventListener('online', look);
  navigator.serviceWorker.startMessages();
  turn(app, Boolean(app.config.kept), panel);
}
