// The map. It reads its configuration from the page, and asks only this server.
import * as away from './away.mjs';
import { readBase } from './basemap.mjs';
import * as card from './card.mjs';
import * as controls from './controls.mjs';
import { calm, color, element } from './dom.mjs';
import { config, firstDots, home } from './early.mjs';
import * as fallback from './fallback.mjs';
import * as filters from './filters.mjs';
import * as follow from './follow.mjs';
import { within } from './geo.mjs';
import * as keptpanel from './keptpanel.mjs';
import * as keys from './key.mjs';
import * as legend from './legend.mjs';
import { draw as drawLines } from './lines.mjs';
import * as list from './list.mjs';
import { details, light } from './lit.mjs';
import { moves, refresh } from './overlays.mjs';
import * as pointer from './pointer.mjs';
import * as print from './print.mjs';
import { attachTheme, draw } from './renderer.mjs';
import { attach as attachSearch } from './search.mjs';
import * as sees from './sees.mjs';
import * as sheet from './sheet.mjs';
import { sight } from './sight.mjs';
import { namePlaces, recede, refilter, reload } from './sites.mjs';
import { read, write } from './state.mjs';
import * as status from './status.mjs';

/** @typedef {import('./types.d.ts').State} State */

const { words, markets } = config;
const { view, inSight, marketOf, look: see } = sight(
  () => app,
  home,
  () => fallback.viewOf(home),
);

/** What to say of the layers. @type {Record<string, string>} */
let notes = {};

/** @type {import('./types.d.ts').App} */
const app = {
  config,
  words,
  markets,
  state: read(),
  map: null,
  view,
  market: () => inSight()[0],
  inSight,
  set,
  go,
  tell: status.tell,
  announce,
  marketOf,
};

/** announce says something to those who do not see the map. @param {string} text */
function announce(text) {
  element('live').textContent = text;
}

/** look follows what the map has drawn. */
function look() {
  if (!app.map) return;
  see();
  namePlaces(app.map, app);
  panel();
  list.refresh(app);
  covered();
}

/**
 * fit moves the map to a box, or to its middle if all of it would be below a zoom.
 * @param {number[]} box @param {number} least the zoom @param {import('./types.d.ts').Point} middle
 */
function fit([west, south, east, north], least, middle) {
  const camera = app.map?.cameraForBounds([west, south, east, north], { padding: 40, maxZoom: 15 });
  if (!app.map || !camera) return;
  const zoom = camera.zoom ?? least,
    whole = zoom >= least;
  app.map.easeTo({
    center: whole ? camera.center : middle,
    zoom: whole ? zoom : least,
    animate: !calm(),
    offset: sheet.offset(),
  });
}

/** go moves the map. @param {import('./types.d.ts').Point & { zoom?: number }} place */
function go({ lng, lat, zoom }) {
  if (!app.map) {
    location.hash = `map=${zoom ?? 13}/${lat.toFixed(5)}/${lng.toFixed(5)}`;
    return;
  }
  const least = zoom ?? 13;
  app.map.easeTo({
    center: [lng, lat],
    zoom: zoom && zoom < 13 ? zoom : Math.max(app.map.getZoom(), least),
    animate: !calm(),
    offset: sheet.offset(),
  });
}

/** reveal moves the map only if the card hides a site. @param {string} key */
function reveal(key) {
  details(key)
    .then(({ coordinates }) => bring(coordinates, () => app.state.site === key))
    .catch(() => {
      /* the card says what is wrong */
    });
}

/**
 * bring moves the map only if the card hides a place.
 * @param {import('./types.d.ts').Point} c @param {() => boolean} still whether the card is about it
 */
function bring(c, still) {
  if (!app.map || !still()) return;
  if (app.map.isMoving()) {
    app.map.once('moveend', () => bring(c, still));
    return;
  }
  const p = app.map.project(c),
    [x, y] = sheet.offset(),
    { clientWidth: w, clientHeight: h } = element('map');
  if (p.x > 20 && p.y > 20 && p.x < w + 2 * x - 20 && p.y < h + 2 * y - 20) return;
  app.map.easeTo({ center: c, offset: [x, y], animate: !calm() });
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
  const differs = (/** @type {(keyof State)[]} */ names) =>
    !before || names.some((n) => JSON.stringify(before[n]) !== JSON.stringify(state[n]));
  if (differs(['operators', 'generations', 'bands', 'status', 'together', 'changed'])) {
    if (map) refilter(map, app);
    else fallback.show(app);
    status.count(app);
  }
  if (differs(['layers']) && map) recede(map, app);
  if (differs(['layers', 'operators', 'generations'])) over();
  if (differs(['operators', 'generations', 'bands', 'status', 'together', 'changed', 'layers'])) panel(true);
  if (differs(['from', 'at', 'operators', 'generations', 'bands', 'status', 'together', 'changed'])) {
    if (state.from) sees.show(app, state.from);
    else drawLines(app, state.at);
  }
  if (differs(['site', 'from', 'at'])) {
    light(app, 'chosen', state.site);
    if (state.site) {
      card.open(app);
      reveal(state.site);
    } else if (state.from) {
      if (before?.site) sees.show(app, state.from);
    } else if (state.at) {
      const { at } = state;
      card.open(app);
      bring(at, () => app.state.at === at);
    } else card.hide(app);
  }
  status.links();
  follow.update(app);
}

let shown = '';
/** panel fills the panel and the source for the markets in sight. */
function panel(again = false) {
  legend.show(app);
  const codes = app.inSight().map((m) => m.code).join(' ');
  if (!again && shown === codes) return;
  const other = shown !== codes;
  shown = codes;
  filters.show(app, notes);
  status.source(app);
  status.count(app);
  if (other) {
    follow.update(app);
    over();
  }
}

/** over fills the layers that are shown on demand. */
async function over() {
  if (!app.map?.getLayer('lit-ring')) return;
  const now = await refresh(app);
  if (!now) return;
  const same = JSON.stringify(now) === JSON.stringify(notes);
  notes = now;
  if (!same) panel(true);
}

function closeCard() {
  if (app.state.site) set({ site: '' });
  else if (app.state.from) set({ from: null });
  else if (app.state.at) set({ at: null });
  else {
    card.hide(app);
    drawLines(app, null);
  }
}

/** What covered said last. */
let missing = '';

/** covered says when no register reaches into what is in sight, or the country in the middle has none. */
async function covered() {
  const middle = view(),
    [west, south, east, north] = middle.box;
  const any = markets.some(({ bounds: [w, s, e, n] }) => w <= east && e >= west && s <= north && n >= south);
  const here = (await readBase(config.assets.base, 'without')).find((f) => within(f.geometry.coordinates[0], middle));
  const text = here ? words['without_' + here.properties.market] : any ? '' : words.noRegister;
  if (text === missing || (element('message').textContent !== missing && !element('message').hidden)) return;
  missing = text;
  status.tell(text);
}

function moved() {
  away.say(app);
  status.links();
  follow.update(app);
  if (moves(app)) over();
}

/** instead shows a list where there can be no map. */
function instead() {
  app.map = null;
  addEventListener('hashchange', () => {
    fallback.show(app);
    panel(true);
  });
  document.body.setAttribute('data-instead', '');
}

async function start() {
  if (!home) {
    status.tell(words.later);
    return;
  }
  if (config.key)
    await keys.prepare(words, () => {
      if (app.map) reload(app.map, app);
      over();
    });
  const early = await firstDots;
  /** @type {typeof import('maplibre-gl') | null} */
  let library = null;
  try {
    library = /** @type {typeof import('maplibre-gl')} */ (await import(config.assets.library));
    await draw(app, library, { moved, over, look });
    pointer.attach(
      app,
      controls.attach(app, (from) => set({ from, site: '', at: null })),
    );
    app.map?.once('idle', early);
    app.map?.once('movestart', early);
  } catch (e) {
    early();
    instead();
  }
  filters.attach(app, () => list.refresh(app));
  list.attach(app);
  card.attach(app, closeCard);
  sheet.attach(words, () => {});
  print.attach(app);
  away.attach(app, (now) => keptpanel.show(app, now));
  legend.fold();
  /** The position that was searched for. @type {import('maplibre-gl').Marker | null} */
  let pin = null;
  attachSearch(app, ({ lng, lat, zoom, box, least = 0, state, page }) => {
    if (page) location.assign(page);
    if (state && Object.keys(state).length > 0) set(state);
    if (lng === undefined || lat === undefined) return;
    if (box && app.map) fit(box, least, { lng, lat });
    else go({ lng, lat, zoom });
    pin?.remove();
    if (library && app.map && !box && !state?.site)
      pin = new library.Marker({ color: color('accent') }).setLngLat([lng, lat]).addTo(app.map);
  });
  attachTheme(app, library, () => panel(true));
  addEventListener('popstate', () => {
    const before = app.state;
    app.state = read();
    apply(before);
  });
  addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && !e.defaultPrevented && !element('card').hidden) closeCard();
  });
  panel(true);
  apply(null);
  Object.assign(globalThis, { relais: { map: app.map, state: () => app.state } }); // for tests
}

start();
