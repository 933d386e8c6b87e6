// The map. It reads its configuration from the page, and asks only this server.
import * as card from './card.mjs';
import * as controls from './controls.mjs';
import { ask, explain, Refusal, transformRequest } from './data.mjs';
import { calm, element, node, remember, remembered } from './dom.mjs';
import * as evidence from './evidence.mjs';
import * as fallback from './fallback.mjs';
import * as filters from './filters.mjs';
import { inside } from './geo.mjs';
import * as keys from './key.mjs';
import * as legend from './legend.mjs';
import { draw as drawLines, addLines } from './lines.mjs';
import * as list from './list.mjs';
import { addLit, details, light } from './lit.mjs';
import { moves, overlays, refresh } from './overlays.mjs';
import * as print from './print.mjs';
import { attach as attachSearch } from './search.mjs';
import * as sees from './sees.mjs';
import * as sheet from './sheet.mjs';
import { addSites, at, drawMissing, refilter, reload } from './sites.mjs';
import { filtersOf, read, serves, write } from './state.mjs';
import { baseStyle, townLayer } from './style.mjs';
import * as tip from './tip.mjs';

/** @typedef {import('./types.d.ts').State} State */
/** @typedef {import('./types.d.ts').Market} Market */

/** @type {import('./types.d.ts').Config} */
const config = JSON.parse(element('config').textContent ?? '');
const { words, markets } = config;
for (const m of markets) m.bands = bandsOf(m);

const home = markets.find((m) => m.code === 'FR') ?? markets[0];
let current = home;
/** What to say of the layers. @type {Record<string, string>} */
let notes = {};

/** @type {import('./types.d.ts').App} */
const app = {
  config, words, markets, state: read(), map: null, view, market, set, go, tell, announce,
  marketOf: (key) => markets.find((m) => key.toLowerCase().startsWith(m.code.toLowerCase() + '-')),
};

/** bandsOf lists the bands of a market's systems in MHz. @param {Market} m */
function bandsOf(m) {
  const bands = (m.systems ?? []).map((s) => /(\d{3,5})\s*$/.exec(s)?.[1] ?? '').filter(Boolean);
  return [...new Set(bands)].sort((a, b) => Number(a) - Number(b));
}

/** tell shows a message over the map. @param {string} text @param {() => void} [again] what its button does */
function tell(text, again) {
  const button = node('button', { type: 'button', textContent: words.tryAgain });
  button.addEventListener('click', () => { tell(''); again?.(); });
  element('message').replaceChildren(text, ...(again ? [button] : []));
  element('message').hidden = text === '';
}

/** announce says something to those who do not see the map. @param {string} text */
function announce(text) { element('live').textContent = text; }

/** @returns {import('./types.d.ts').View} */
function view() {
  if (!app.map) return fallback.viewOf(home);
  const b = app.map.getBounds(), { lng, lat } = app.map.getCenter();
  return { lng, lat, zoom: app.map.getZoom(), box: [Math.max(b.getWest(), -180), Math.max(b.getSouth(), -90), Math.min(b.getEast(), 180), Math.min(b.getNorth(), 90)] };
}

/** market is the smallest one in the middle of the map, or the last one that was. */
function market() {
  const middle = view(), size = (/** @type {Market} */ { bounds: [w, s, e, n] }) => (e - w) * (n - s);
  const here = markets.filter((m) => inside(m.bounds, middle)).sort((a, b) => size(a) - size(b));
  current = here[0] ?? current;
  return current;
}

/** go moves the map. @param {import('./types.d.ts').Point & { zoom?: number }} place */
function go({ lng, lat, zoom }) {
  if (!app.map) { location.hash = `map=${zoom ?? 13}/${lat.toFixed(5)}/${lng.toFixed(5)}`; return; }
  const least = zoom ?? 13;
  app.map.easeTo({ center: [lng, lat], zoom: zoom && zoom < 13 ? zoom : Math.max(app.map.getZoom(), least), animate: !calm(), offset: sheet.offset() });
}

/** reveal moves the map only if the card hides a place. @param {string} key */
function reveal(key) {
  details(key).then(({ coordinates: c }) => {
    if (!app.map || app.state.site !== key) return;
    if (app.map.isMoving()) { app.map.once('moveend', () => reveal(key)); return; }
    const p = app.map.project(c), [x, y] = sheet.offset(), { clientWidth: w, clientHeight: h } = element('map');
    if (p.x > 20 && p.y > 20 && p.x < w + 2 * x - 20 && p.y < h + 2 * y - 20) return;
    app.map.easeTo({ center: c, offset: [x, y], animate: !calm() });
  }).catch(() => { /* the card says what is wrong */ });
}

/** set changes the state, and the address with it. @param {Partial<State>} change */
function set(change) {
  const before = app.state;
  app.state = { ...before, ...change };
  write(app.state);
  apply(before);
}

/** apply shows what differs from an earlier state. @param {State | null} before */
function apply(before) {
  const { state, map } = app;
  const differs = (/** @type {(keyof State)[]} */ names) => !before || names.some((n) => JSON.stringify(before[n]) !== JSON.stringify(state[n]));
  if (differs(['operators', 'generations', 'bands', 'status', 'together', 'changed'])) {
    if (map) refilter(map, app);
    else fallback.show(app);
    count();
  }
  if (differs(['layers'])) over();
  if (differs(['operators', 'generations', 'bands', 'status', 'together', 'changed', 'layers'])) panel(true);
  if (differs(['from', 'operators', 'generations', 'bands', 'status'])) {
    if (state.from) sees.show(app, state.from);
    else drawLines(app, null);
  }
  if (differs(['site', 'from'])) {
    light(app, 'chosen', state.site);
    if (state.site) { card.open(app, state.site); reveal(state.site); }
    else if (!state.from) card.hide(app);
    else if (before?.site) sees.show(app, state.from);
  }
  links();
}

/** links keeps the state in the link to the other language. */
function links() {
  const a = /** @type {HTMLAnchorElement} */ (document.querySelector('a.lang'));
  const query = new URLSearchParams(location.search);
  query.set('lang', words.otherLang);
  a.href = `${location.pathname}?${query.toString().replaceAll('%2C', ',')}${location.hash}`;
}

/** count says how many sites the filters select. */
async function count() {
  const m = market();
  const target = document.getElementById('matches');
  if (!target || JSON.stringify(filtersOf(m, app.state, config)) === '{}') { if (target) target.textContent = ''; return; }
  if (!serves(m, app.state)) { target.textContent = words.noMatchMarket; return; }
  try {
    const { meta } = await ask('/antennas', { market: m.code, ...filtersOf(m, app.state, config), limit: 1 });
    const now = document.getElementById('matches');
    if (now) now.textContent = meta.totalMatched === 0 ? words.noMatchMarket : `${meta.totalMatched.toLocaleString(words.lang)} / ${m.sites.toLocaleString(words.lang)} ${words.sites}`;
  } catch (e) {
    // this server may not keep the edition that it serves; of other errors the tiles speak
    if (e instanceof Refusal && e.status === 404) target.textContent = words.noEdition;
  }
}

let shown = '';
/** panel fills the panel, the legend and the source for the market in sight. */
function panel(again = false) {
  const m = market();
  if (!again && shown === m.code) return;
  shown = m.code;
  filters.show(app, notes);
  legend.show(app);
  source(m);
  count();
}

/** source says whose data it is and how old. @param {Market} m */
function source(m) {
  const day = new Date(m.date + 'T00:00:00Z'), age = Math.round((Date.now() - day.getTime()) / 864e5);
  const ago = new Intl.RelativeTimeFormat(words.lang, { numeric: 'auto' });
  const time = node('time', { dateTime: m.date, textContent: day.toLocaleDateString(words.lang, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
    title: age < 60 ? ago.format(-age, 'day') : ago.format(-Math.round(age / 30.4), 'month') });
  element('source').replaceChildren(m.synthetic ? node('strong', { textContent: words.synthetic }) : m.source, ' · ', time,
    ...(age > 60 ? [` (${time.title})`] : []), ` · ${m.sites.toLocaleString(words.lang)} ${words.sites}`);
}

/** over fills the layers that are shown on demand. */
async function over() {
  if (!app.map?.getLayer('town')) return;
  const now = await refresh(app);
  const same = JSON.stringify(now) === JSON.stringify(notes);
  notes = now;
  if (!same) panel(true);
}

/** overlayAt returns the point of a layer at a point of the screen. @param {{x: number, y: number}} p */
function overlayAt({ x, y }) {
  const layers = Object.keys(overlays).map((name) => 'over-' + name).filter((id) => app.map?.getLayer(id));
  return /** @type {any} */ (app.map?.queryRenderedFeatures([[x - 6, y - 6], [x + 6, y + 6]], { layers })[0]);
}

/** @param {import('maplibre-gl').MapMouseEvent} e @param {(p: import('./types.d.ts').Point) => boolean} picked */
function clicked(e, picked) {
  tip.hide();
  if (picked(e.lngLat)) return;
  const hit = at(app, e.point), point = overlayAt(e.point);
  if (point && !hit?.mark) {
    if (point.properties.key) { set({ site: point.properties.key }); return; }
    const [lng, lat] = point.geometry.coordinates;
    if (app.state.site || app.state.from) set({ site: '', from: null });
    evidence.show(app, point.properties, { lng, lat });
  } else if (hit?.mark) set({ site: hit.mark.key });
  else if (hit?.cluster && app.map) app.map.easeTo({ center: [hit.cluster.lng, hit.cluster.lat], zoom: Math.min(app.map.getZoom() + 2, 14), animate: !calm() });
}

/** @param {import('maplibre-gl').MapMouseEvent} e */
function hovered(e) {
  const hit = at(app, e.point), point = overlayAt(e.point);
  if (app.map) app.map.getCanvas().style.cursor = hit || point ? 'pointer' : '';
  light(app, 'hover', hit?.mark?.key ?? '');
  if (hit?.mark) tip.show(e.point, ...tip.site(hit.mark, app));
  else if (point) tip.show(e.point, ...tip.evidence(point.properties, app));
  else tip.hide();
}

/** failed says what a request of the map met. @param {any} e */
function failed(e) {
  const status = e.error?.status;
  if (config.key && (status === 401 || status === 403)) { ask('/markets').catch(() => { /* the key's dialog opens */ }); return; }
  if (status && status < 500 && status !== 429) return;
  tell(explain(status ? new Refusal(status, '', 0) : null, words), () => { if (app.map) reload(app.map, app); over(); });
}

function closeCard() {
  if (app.state.site) set({ site: '' });
  else if (app.state.from) set({ from: null });
  else { card.hide(app); drawLines(app, null); }
}

/** @param {typeof import('maplibre-gl')} library */
function draw(library) {
  const map = new library.Map({
    container: 'map', style: baseStyle(config.assets.base), hash: 'map', bounds: home.bounds, fitBoundsOptions: { padding: 24 }, transformRequest,
    maxZoom: 19, attributionControl: { compact: false }, dragRotate: false, pitchWithRotate: false, touchPitch: false,
    fadeDuration: calm() ? 0 : 200,
  });
  app.map = map;
  map.touchZoomRotate.disableRotation();
  map.addControl(new library.ScaleControl(), 'bottom-right');
  map.getCanvas().setAttribute('aria-label', words.mapHelp);
  drawMissing(map, app);
  map.on('style.load', () => {
    map.addLayer(townLayer());
    for (const m of markets) addSites(map, m, app);
    addLines(app);
    addLit(app);
    over();
  });
  map.on('dataloading', () => { element('progress').hidden = false; });
  map.on('idle', () => { element('progress').hidden = true; list.refresh(app); });
  map.on('moveend', () => {
    const before = shown;
    panel();
    links();
    if (before !== shown || moves(app)) over();
  });
  map.on('movestart', () => tip.hide());
  const picked = controls.attach(app, (from) => set({ from, site: '' }));
  map.on('click', (e) => clicked(e, picked));
  map.on('mousemove', hovered);
  map.on('mouseout', () => { tip.hide(); light(app, 'hover', ''); });
  map.on('error', failed);
}

function paintTheme() {
  const theme = remembered(() => localStorage, 'theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

const scheme = matchMedia('(prefers-color-scheme: dark)');
function repaint() {
  paintTheme();
  app.map?.setStyle(baseStyle(config.assets.base), { diff: false });
  panel(true);
}

async function start() {
  paintTheme();
  if (!home) { tell(words.later); return; }
  if (config.key) await keys.prepare(words, () => { if (app.map) reload(app.map, app); over(); });
  try {
    draw(await import(config.assets.library));
  } catch (e) {
    app.map = null;
    addEventListener('hashchange', () => { fallback.show(app); panel(true); });
    document.body.setAttribute('data-instead', '');
  }
  filters.attach(app, () => list.refresh(app));
  list.attach(app);
  card.attach(app, closeCard);
  sheet.attach(words, () => {});
  print.attach(app);
  legend.fold();
  attachSearch(app, (r) => { if (r.key) set({ site: r.key }); go(r); });
  element('theme').addEventListener('click', () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : scheme.matches;
    remember(() => localStorage, 'theme', dark ? 'light' : 'dark');
    repaint();
  });
  scheme.addEventListener('change', repaint);
  addEventListener('popstate', () => { const before = app.state; app.state = read(); apply(before); });
  addEventListener('keydown', (e) => { if (e.key === 'Escape' && !e.defaultPrevented && !element('card').hidden) closeCard(); });
  panel(true);
  apply(null);
  Object.assign(globalThis, { relais: { map: app.map, state: () => app.state } }); // for tests
}

start();
