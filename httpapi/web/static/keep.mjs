// Keeping what is in view for use without a network: the tiles of the register without filters, and a list
// of its sites. It is offered where browsers have service workers: over HTTPS, and on the machine itself.
import { readBase } from './basemap.mjs';
import { ask, Refusal } from './data.mjs';
import { mercator } from './early.mjs';
import { inside } from './geo.mjs';
import { areas, note, prefix } from './kept.mjs';
import { everySite, tilesOf } from './sites.mjs';
import { none } from './state.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {import('./kept.mjs').Area} Area */
/** @typedef {Area['box']} Box */
/** @typedef {{ box: Box, zoom: number, tiles: string[], sites: number, bytes: number }} Plan */

const deepest = 14, // zoom of tiles
  mostTiles = 300,
  mostSites = 5000, // of a list
  pause = 100, // milliseconds between requests: half of what an address has
  mostWaits = 3; // for a server that asks to wait

/** About how many bytes a tile has without sites, and a site in the list, in near tiles, and in those far away. */
const ofTile = 150,
  ofListed = 720,
  ofSite = 580,
  ofDot = 12;

/** @param {Box} a @param {Box} b */
const meet = (a, b) => a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];

/** @param {App} app @param {Box} box */
const marketsOf = (app, box) => app.markets.filter((m) => meet(m.bounds, box));

/**
 * addressesOf lists the tiles of a market in a box at a zoom.
 * @param {Market} m @param {App} app @param {Box} box @param {number} z
 */
function addressesOf(m, app, box, z) {
  const address = tilesOf(m, { state: { ...app.state, ...none } }, z < everySite ? 'dots' : ''),
    [west, south, east, north] = box,
    [w, s, e, n] = m.bounds,
    at = (/** @type {number} */ lng, /** @type {number} */ lat) => mercator(lng, lat).map((v) => Math.floor(v * 2 ** z));
  const [x1, y1] = at(Math.max(west, w), Math.min(north, n)),
    [x2, y2] = at(Math.min(east, e), Math.max(south, s));
  const list = [];
  for (let x = x1; x <= x2; x++)
    for (let y = y1; y <= y2; y++) {
      const tile = new URL(address.replace('{z}', String(z)).replace('{x}', String(x)).replace('{y}', String(y)));
      tile.searchParams.delete('v'); // the next edition has another one
      list.push(tile.href);
    }
  return list;
}

/** textOf is a box as the API reads it. @param {Box} box */
const textOf = (box) => box.map((v) => v.toFixed(4)).join(',');

/**
 * plan says what keeping a box means. The tiles go as far as their number allows.
 * @param {App} app @param {Box} box @returns {Promise<Plan>}
 */
export async function plan(app, box) {
  const markets = marketsOf(app, box);
  /** @type {string[]} */
  let tiles = [];
  let zoom = -1;
  for (let z = 0; z <= deepest; z++) {
    const more = markets.flatMap((m) => addressesOf(m, app, box, z));
    if (tiles.length + more.length > mostTiles) break;
    tiles = [...tiles, ...more];
    zoom = z;
  }
  const answers = await Promise.all(
    markets.map((m) => ask('/antennas', { market: m.code, bbox: textOf(box), limit: 1 })),
  );
  const sites = answers.reduce((sum, { meta }) => sum + meta.totalMatched, 0),
    dots = markets.reduce((sum, m) => sum + m.sites, 0);
  const bytes = (sites <= mostSites ? ofListed : 0) + (zoom < everySite ? 0 : ofSite);
  return { box, zoom, tiles, sites, bytes: tiles.length * ofTile + sites * bytes + dots * ofDot };
}

/** install waits until the service worker runs. @param {string} lang */
async function install(lang) {
  const { installing } = await navigator.serviceWorker.register(url(`/offline.js?lang=${lang}`));
  if (!installing) return;
  await new Promise((/** @type {(v?: unknown) => void} */ done, failed) =>
    installing.addEventListener('statechange', () => {
      if (installing.state === 'activated') done();
      if (installing.state === 'redundant') failed(new Error('the program could not be kept'));
    }),
  );
}

/** sleep waits, or fails when the reader stops it. @param {number} ms @param {AbortSignal} signal */
const sleep = (ms, signal) =>
  new Promise((done, failed) => {
    setTimeout(done, ms);
    signal.addEventListener('abort', () => failed(signal.reason));
  });

/**
 * fetchInto keeps an answer of the server, and returns its body.
 * @param {Cache} cache @param {string} address @param {AbortSignal} signal
 */
async function fetchInto(cache, address, signal) {
  for (let waits = 0; ; waits++) {
    const answer = await fetch(address, { cache: 'reload', signal });
    if (answer.status === 429 && waits < mostWaits) {
      await sleep(1000 * Math.min(60, Number(answer.headers.get('Retry-After')) || 10), signal);
      continue;
    }
    if (!answer.ok) throw new Refusal(answer.status, '', 0);
    const body = await answer.blob(),
      headers = { 'Content-Type': answer.headers.get('Content-Type') ?? '' };
    await cache.put(address, new Response(body.size > 0 ? body : null, { status: answer.status, headers }));
    return body;
  }
}

/** labelOf names a box by its largest town. @param {App} app @param {Box} box */
async function labelOf(app, [w, s, e, n]) {
  const towns = (await readBase(app.config.assets.base, 'town'))
    .filter(({ geometry: { coordinates: c } }) => inside([w, s, e, n], { lng: c[0], lat: c[1] }))
    .sort((a, b) => b.properties.n - a.properties.n);
  const { name, [app.words.lang]: own } = towns[0]?.properties ?? {};
  return own ?? name ?? `${((s + n) / 2).toFixed(3)}, ${((w + e) / 2).toFixed(3)}`;
}

/** lock is held while an area is being kept: a tab that tidies must not take it for one that was given up. */
const lock = prefix + 'keep';

/**
 * keep fetches what a plan has, one after the other, in the place of an older area.
 * @param {App} app @param {Plan} p @param {(done: number) => void} progress
 * @param {AbortSignal} signal @param {Area} [older]
 */
export async function keep(app, p, progress, signal, older) {
  try {
    await navigator.locks.request(lock, { mode: 'shared', signal }, () => fetchArea(app, p, progress, signal, older));
  } catch (e) {
    await tidy();
    throw e;
  }
}

/** @type {typeof keep} */
async function fetchArea(app, p, progress, signal, older) {
  await install(app.words.lang);
  await navigator.storage?.persist?.();
  const kept = new Date().toISOString(),
    name = `${prefix}area ${kept}`;
  /** @type {Area} */
  const area = { ...p, tiles: p.tiles.length, bytes: 0, name, label: await labelOf(app, p.box), kept, dates: {} };
  const cache = await caches.open(name);
  for (const m of marketsOf(app, p.box)) {
    const limit = p.sites <= mostSites ? mostSites : 1,
      address = url(`/map/antennas?market=${m.code}&bbox=${textOf(p.box)}&limit=${limit}`);
    const list = await fetchInto(cache, address, signal);
    area.bytes += list.size;
    area.dates[m.code] = JSON.parse(await list.text()).meta.sourceDate;
  }
  for (const [i, address] of p.tiles.entries()) {
    progress(i);
    area.bytes += (await fetchInto(cache, address, signal)).size;
    await sleep(pause, signal);
  }
  if (!(await caches.has(name))) throw new Error('the browser has deleted what was kept');
  note([area, ...areas().filter((a) => a.name !== older?.name)]);
  if (older) await caches.delete(older.name);
}

/** remove deletes an area. @param {Area} area */
export async function remove(area) {
  note(areas().filter((a) => a.name !== area.name));
  await caches.delete(area.name);
  await tidy();
}

/**
 * tidy forgets areas that the browser has deleted, and deletes those that were not kept to their end. When no area
 * is left it removes the service worker, too, and the program that it keeps.
 */
const tidy = () =>
  navigator.locks.request(lock, { ifAvailable: true }, async (free) => {
    if (!free) return; // a tab keeps an area: the next page tidies
    const names = await caches.keys(),
      left = areas().filter((a) => names.includes(a.name));
    if (left.length < areas().length) note(left);
    const dead = left.length > 0 ? `${prefix}area ` : prefix;
    for (const name of names)
      if (name.startsWith(dead) && !left.some((a) => a.name === name)) await caches.delete(name);
    if (left.length > 0) return;
    const scope = location.origin + url('/');
    for (const r of await navigator.serviceWorker.getRegistrations()) if (r.scope === scope) await r.unregister();
  });

/**
 * check tidies, and has a new build of the program kept.
 * @param {App} app
 */
export async function check(app) {
  if (app.config.key) note([]);
  await tidy();
  if (areas().length > 0 && !app.config.kept) await install(app.words.lang);
}
