// The chosen site and the one under the pointer: a ring around the mark, and from zoom 12 on its
// sectors. Below zoom 13 the tiles have no sectors, so they come from the site's own data.
import { ask } from './data.mjs';
import { color } from './dom.mjs';
import { keptSites } from './kept.mjs';
import { wedgeLayout } from './sites.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Sector} Sector */

/** @type {Map<string, Promise<any>>} */
const known = new Map();

/**
 * details reads a site in full, from memory where it was asked for before.
 * @param {string} key
 * @returns {Promise<any>}
 */
export function details(key) {
  let answer = known.get(key);
  if (!answer) {
    answer = ask('/antennas/' + encodeURIComponent(key)).then((body) => body.data);
    answer.catch(() => known.delete(key));
    known.set(key, answer);
    if (known.size > 300) known.delete(/** @type {string} */ (known.keys().next().value));
  }
  return answer;
}

/**
 * sectorsOf lists the azimuths of a site, each with the mask of its operators.
 * @param {any} site @param {import('./types.d.ts').Market} market
 * @returns {Sector[]}
 */
export function sectorsOf(site, market) {
  /** @type {Map<number, number>} */
  const masks = new Map();
  for (const e of site.emissions ?? []) { // a kept site has none
    const i = market.operators.findIndex((o) => o.key === e.operator || o.label === e.operator);
    for (const azimuth of e.azimuts ?? []) {
      const mask = masks.get(azimuth) ?? 0;
      if (i >= 0 && Math.floor(mask / 2 ** i) % 2 === 0) masks.set(azimuth, mask + 2 ** i);
      else masks.set(azimuth, mask);
    }
  }
  return [...masks].map(([azimuth, ops]) => ({ azimuth, ops })).sort((a, b) => a.azimuth - b.azimuth);
}

/** Keys of the sites that are lit, by role. @type {Record<string, string>} */
const lit = { chosen: '', hover: '' };
/** @type {Record<string, any[]>} */
const features = { chosen: [], hover: [] };

/** addLit adds the layers, below the marks and above. @param {App} app */
export function addLit(app) {
  const { map } = app;
  if (!map) return;
  map.addSource('lit', { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  map.addLayer(
    {
      id: 'lit-sectors',
      type: 'symbol',
      source: 'lit',
      minzoom: 12,
      filter: ['has', 'az'],
      layout: wedgeLayout(['get', 'image'], 1.6),
      paint: { 'icon-opacity': 0.95 },
    },
    'sectors-' + app.markets[0].code,
  );
  map.addLayer({
    id: 'lit-ring',
    type: 'circle',
    source: 'lit',
    filter: ['!', ['has', 'az']],
    paint: {
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 5, 9, 12, 15, 16, 19],
      'circle-color': 'transparent',
      'circle-stroke-width': 3,
      'circle-stroke-color': color('accent'),
    },
  });
  draw(app);
}

/** chosenAt is the position of the chosen site, once it is known. @returns {[number, number] | undefined} */
export const chosenAt = () => features.chosen[0]?.geometry.coordinates;

/** @param {App} app */
function draw(app) {
  const source = /** @type {import('maplibre-gl').GeoJSONSource | undefined} */ (app.map?.getSource('lit'));
  source?.setData({
    type: 'FeatureCollection',
    features: [...features.chosen, ...(lit.hover === lit.chosen ? [] : features.hover)],
  });
}

/**
 * light marks a site, or none. It returns the site when it has read it.
 * @param {App} app @param {'chosen' | 'hover'} role @param {string} key @returns {Promise<any>}
 */
export async function light(app, role, key) {
  if (lit[role] === key) return null;
  lit[role] = key;
  features[role] = [];
  const market = app.marketOf(key);
  if (!key || !market) {
    draw(app);
    return null;
  }
  // a pointer that only passes asks nothing
  if (role === 'hover') await new Promise((done) => setTimeout(done, 250));
  if (lit[role] !== key) return null;
  const site = await details(key).catch(async () => (await keptSites()).get(key));
  if (lit[role] !== key || !site) return null;
  const geometry = { type: 'Point', coordinates: [site.coordinates.lng, site.coordinates.lat] };
  features[role] = [
    { type: 'Feature', geometry, properties: {} },
    ...sectorsOf(site, market).map((s) => ({
      type: 'Feature',
      geometry,
      properties: { az: s.azimuth, image: `wedge/${market.code}/${s.ops}` },
    })),
  ];
  draw(app);
  return site;
}
