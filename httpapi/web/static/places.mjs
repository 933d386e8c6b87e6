// What the search can find. The server reads the question; this module makes of its answer what the
// list shows and what choosing a line does to the map.
import { ask } from './data.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').State} State */
/**
 * @typedef {{ title: string, note: string, group: string, lng?: number, lat?: number, zoom?: number,
 *   box?: [number, number, number, number], least?: number, state?: Partial<State>, page?: string }} Found
 */

/** labels lists the operators of a site as people know them. @param {any} s @param {App} app */
export const labels = (s, app) =>
  s.operators
    .map((/** @type {string} */ key) => app.marketOf(s.siteKey)?.operators.find((o) => o.key === key)?.label ?? key)
    .join(', ');

/** The smallest zoom at which a town is shown: its sites can be told apart. */
const townZoom = 12.5;

/** @param {string} text @param {...unknown} values */
const fill = (text, ...values) => values.reduce((/** @type {string} */ t, v) => t.replace(/%[sd]/, () => String(v)), text);

/** chipsOf says what was understood. @param {any} u @param {App} app @returns {string[]} */
function chipsOf(u, { words }) {
  const id = u.identifier,
    days = u.days ? ' · ' + fill(words.lastDays, u.days) : '';
  return [
    u.position && `${u.position.lat.toFixed(5)}, ${u.position.lng.toFixed(5)}`,
    id && id.kind !== 'any' && `${words['identifier.' + id.kind]} ${id.value}`,
    u.siteKey,
    u.place?.name,
    ...u.operators.map((/** @type {any} */ o) => o.label),
    u.generation,
    ...u.bands.map((/** @type {number} */ mhz) => `${mhz} MHz`),
    u.status && words['phase.' + u.status],
    u.here && words.aroundMiddle,
    u.topic && words['topic.' + u.topic] + days,
  ].filter(Boolean);
}

/** noteOf says what may be meant otherwise. @param {any} u @param {App} app */
function noteOf(u, { words }) {
  if (u.naming > 0) return fill(words.namesLandmark, u.words, u.naming);
  if (u.partOf) return fill(words.partOfText, u.partOf, u.place.name);
  if (u.identifier?.kind === 'tac') return words.noTrackingArea;
  if (u.number) return fill(words.streetNotNumber, u.number);
  return u.naming === 0 ? words.landmarkUnknown : '';
}

/** stateOf is what the filters of a question set on the map. @param {any} f @returns {Partial<State>} */
function stateOf(f) {
  const list = (/** @type {string} */ name) => f[name]?.split(',') ?? [];
  if (Object.keys(f).length === 0) return {};
  return {
    operators: list('operator'),
    generations: list('generation'),
    bands: list('band'),
    status: f.status ?? '',
    together: false,
    changed: false,
  };
}

/**
 * foundOf makes a line of a result.
 * @param {any} r @param {any} u what was understood @param {string} source of streets @param {App} app @returns {Found}
 */
function foundOf(r, u, source, app) {
  const { words } = app,
    { title, lat, lng } = r;
  const filters = chipsOf({ ...u, place: null, topic: null, identifier: null, position: null, siteKey: null }, app);
  switch (r.kind) {
    case 'position':
      return { title, lat, lng, zoom: 15, note: words.position, group: words.foundPlaces };
    case 'place': {
      const note = [words['place.' + r.place.kind], r.place.area, ...filters].filter(Boolean).join(' · ');
      const least = ['commune', 'town', 'postalCode'].includes(r.place.kind) ? townZoom : 0;
      return { title, lat, lng, note, group: words.foundPlaces, box: r.place.bbox, least, state: stateOf(u.filters) };
    }
    case 'street': {
      const note = [words['place.street'], r.note, source].filter(Boolean).join(' · ');
      return { title, lat, lng, zoom: 16, note, group: words.foundPlaces, state: stateOf(u.filters) };
    }
    case 'identifier': {
      const why = r.matches.map((/** @type {string} */ m) => words['id_' + m] ?? m).join(', ');
      const note = [why, r.foreign ? words.foreignIdentifier : '', r.note].filter(Boolean).join(' · ');
      return { title, lat, lng, zoom: 15, note, group: words.foundIdentifiers, state: { site: r.siteKey } };
    }
  }
  const group = r.kind === 'landmark' ? words.foundLandmarks : words.sitesFound;
  return { title, lat, lng, zoom: 15, note: r.note, group, state: { site: r.siteKey } };
}

/** betterOf makes a line of what answers better. @param {any} data @param {App} app @returns {Found[]} */
function betterOf({ better, understood: u }, app) {
  const { words, state } = app;
  if (!better) return [];
  const line = { title: words['better.' + better.topic], note: u.place?.name ?? '', group: words.foundBetter };
  if (better.topic !== 'outages') {
    const page = new URL(url(better.page), location.origin);
    page.searchParams.set('lang', words.lang);
    return [{ ...line, page: page.href }];
  }
  const layers = [...new Set([...state.layers, 'outages'])];
  return [
    {
      ...line,
      state: { ...stateOf(u.filters), layers },
      ...(u.place ? { lat: u.place.center.lat, lng: u.place.center.lng, box: u.place.bbox, least: 0 } : {}),
    },
  ];
}

/**
 * search asks what a text is about: chips say what was understood, and the lines are what was found,
 * the best first.
 * @param {App} app @param {string} text @param {AbortSignal} signal
 * @returns {Promise<{ chips: string[], note: string, found: Found[] }>}
 */
export async function search(app, text, signal) {
  const { lat, lng } = app.view();
  const { data, meta } = await ask(
    '/find',
    { q: text, prefer: app.market()?.code, lat: lat.toFixed(4), lng: lng.toFixed(4), limit: 8 },
    signal,
  );
  const u = data.understood,
    chips = chipsOf(u, app),
    filters = stateOf(u.filters);
  const found = data.results.map((/** @type {any} */ r) => foundOf(r, u, meta.streets ? `${meta.streets.authority}, ${meta.streets.date}` : '', app));
  const onMap =
    u.place || Object.keys(filters).length === 0 || u.identifier || u.topic
      ? []
      : [{ title: chips.join(' · '), note: app.words.filterMap, group: app.words.foundPlaces, state: filters }];
  return { chips, note: noteOf(u, app), found: [...betterOf(data, app), ...onMap, ...found].slice(0, 14) };
}
