// What the search can find: positions, towns of the base map, communes, sites and identifiers of
// the registers. Only the market in sight is asked while somebody types; the others when they press
// Enter, or when it has nothing.
import { readBase } from './basemap.mjs';
import { ask } from './data.mjs';
import { coordinates } from './coordinates.mjs';
import { readable } from './dom.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/**
 * @typedef {{ lng: number, lat: number, zoom: number, title: string, note: string, group: string,
 *   key?: string, partial?: boolean }} Found
 */

/** fold removes case, accents and punctuation. @param {string} text */
export const fold = (text) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** readTowns reads the towns of the base map. @param {App} app */
const readTowns = async ({ config, words: { lang } }) =>
  (await readBase(config.assets.base, 'town')).map(({ properties: p, geometry: { coordinates } }) => {
    const name = p[lang] ?? p.name;
    return { name, plain: fold(name), n: p.n, lng: coordinates[0], lat: coordinates[1] };
  });

/** @param {App} app @param {string} plain @returns {Promise<Found[]>} */
async function townsNamed(app, plain) {
  const list = await readTowns(app);
  return list
    .filter((t) => t.plain.startsWith(plain))
    .sort((a, b) => Number(b.plain === plain) - Number(a.plain === plain) || b.n - a.n)
    .slice(0, 4)
    .map((t) => ({
      lng: t.lng,
      lat: t.lat,
      zoom: 12.5,
      title: t.name,
      group: app.words.foundPlaces,
      note: `${app.words.foundTown} · ${t.n.toLocaleString(app.words.lang)} ${app.words.foundInhabitants}`,
    }));
}

/** What people write before an identifier, and its type for the look-up. @type {Record<string, string>} */
const kinds = {
  enb: 'enb',
  enodeb: 'enb',
  gnb: 'gnb',
  pci: 'pci',
  cell: 'cellid',
  cellule: 'cellid',
  eci: 'cellid',
  nci: 'cellid',
  ci: 'ci',
  cid: 'ci',
};

/** identifier reads "enb 1009", "0x3F1" or "1009". @param {string} text */
export function identifier(text) {
  const m = /^(?:([a-z]+)\s*[:=#]?\s*)?(0x[0-9a-f]{1,10}|\d{1,12})$/i.exec(text);
  if (!m) return null;
  const type = m[1] ? kinds[m[1].toLowerCase()] : 'auto';
  return type ? { type, value: String(Number(m[2])) } : null;
}

/** labels lists the operators of a site as people know them. @param {any} s @param {App} app */
export const labels = (s, app) =>
  s.operators
    .map((/** @type {string} */ key) => app.marketOf(s.siteKey)?.operators.find((o) => o.key === key)?.label ?? key)
    .join(', ');

/**
 * siteOf makes a result of a site.
 * @param {any} s @param {App} app @param {string} group @param {string} [why] @returns {Found}
 */
const siteOf = (s, app, group, why = '') => ({
  key: s.siteKey,
  lat: s.coordinates.lat,
  lng: s.coordinates.lng,
  zoom: 15,
  group,
  title: [readable(s.location.address ?? s.location.commune ?? s.siteKey), labels(s, app)].join(' · '),
  note: [why, s.location.postalCode, readable(s.location.commune ?? ''), s.siteKey].filter(Boolean).join(', '),
});

/**
 * communesOf groups sites by commune. Of a large one the answer has only a part, whose middle is not
 * that of the commune.
 * @param {{ data: any[], meta?: any }} answer @param {App} app @param {string} plain @returns {Found[]}
 */
function communesOf({ data: sites, meta }, app, plain) {
  /** @type {Map<string, any[]>} */
  const groups = new Map();
  for (const s of sites) {
    const name = s.location.commune;
    if (!name || !fold(name).startsWith(plain)) continue;
    const id = name + ' ' + s.administrativeArea.code;
    groups.set(id, [...(groups.get(id) ?? []), s]);
  }
  return [...groups.values()].slice(0, 4).map((list) => {
    const [{ location, administrativeArea: area }] = list;
    // a register has sites far from the commune that it states: the median is in its middle all the same
    const median = (/** @type {'lat' | 'lng'} */ k) =>
      list.map((s) => s.coordinates[k]).sort((a, b) => a - b)[Math.floor(list.length / 2)];
    return {
      lat: median('lat'),
      lng: median('lng'),
      zoom: 13,
      title: readable(location.commune),
      partial: Boolean(meta?.hasMore),
      group: app.words.foundPlaces,
      note: [app.words.foundCommune, area.label].filter(Boolean).join(' · '),
    };
  });
}

/**
 * ofMarket asks one register.
 * @param {App} app @param {Market} market @param {string} text @param {AbortSignal} signal
 * @returns {Promise<Found[]>}
 */
async function ofMarket(app, market, text, signal) {
  const { words } = app,
    id = identifier(text),
    plain = fold(text);
  const named = !id && plain.length >= 2;
  const [byRadio, communes, sites] = await Promise.all([
    id
      ? ask(
          '/antennas/lookup-by-radio',
          { market: market.code, type: id.type, value: id.value, limit: 5 },
          signal,
        ).catch(notHere)
      : nobody,
    named ? ask('/antennas/search', { market: market.code, commune: text, limit: 100 }, signal) : nobody,
    !id || id.type === 'auto'
      ? ask('/antennas/search', { market: market.code, q: text.replace(/^(?:site|support)\s+/i, ''), limit: 6 }, signal)
      : nobody,
  ]);
  const radio = byRadio.data.map((/** @type {any} */ d) =>
    siteOf(
      d.site,
      app,
      words.foundIdentifiers,
      [...new Set(d.matches.map((/** @type {any} */ m) => `${words['id_' + m.type] ?? m.type} ${m.value}`))].join(', '),
    ),
  );
  return [
    ...radio,
    ...communesOf(communes, app, plain),
    ...sites.data.map((/** @type {any} */ s) => siteOf(s, app, words.sitesFound)),
  ];
}

const nobody = Promise.resolve({ data: [] });
// a number that is too great for its type is found nowhere
const notHere = (/** @type {any} */ e) => {
  if (e.status === 400) return { data: [] };
  throw e;
};

/**
 * search finds places and sites, the most exact first.
 * @param {App} app @param {string} text @param {boolean} everywhere also in the markets out of sight
 * @param {AbortSignal} signal
 * @returns {Promise<Found[]>}
 */
export async function search(app, text, everywhere, signal) {
  const at = coordinates(text);
  if (at)
    return [
      {
        ...at,
        zoom: 15,
        title: `${at.lat.toFixed(5)}, ${at.lng.toFixed(5)}`,
        note: app.words.position,
        group: app.words.foundPlaces,
      },
    ];
  const near = app.market(),
    plain = fold(text);
  const [names, here] = await Promise.all([
    plain.length >= 2 && !identifier(text) ? townsNamed(app, plain) : [],
    ofMarket(app, near, text, signal),
  ]);
  let found = [
    ...names,
    ...here.filter(
      (f) =>
        f.key ||
        !names.some(
          (t) => fold(t.title) === fold(f.title) && (f.partial || Math.hypot(t.lat - f.lat, t.lng - f.lng) < 0.3),
        ),
    ),
  ];
  if (everywhere || found.length === 0) {
    const others = await Promise.all(app.markets.filter((m) => m !== near).map((m) => ofMarket(app, m, text, signal)));
    found = [...found, ...others.flat()];
  }
  const seen = new Set();
  const rank = (/** @type {Found} */ f) =>
    [app.words.foundIdentifiers, app.words.foundPlaces, app.words.sitesFound].indexOf(f.group);
  return found
    .filter((f) => {
      const id = f.key ?? f.title + f.note;
      return !seen.has(id) && seen.add(id);
    })
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 14);
}
