// What is known of the areas that the reader keeps for use without a network. Their tiles are in caches of
// the browser, which the service worker reads.
import { remember, remembered } from './dom.mjs';
import { url } from './url.mjs';

/**
 * An area is kept in a cache that has its name.
 * @typedef {object} Area
 * @property {string} name
 * @property {string} label its largest town, or its middle
 * @property {[number, number, number, number]} box west, south, east, north
 * @property {number} zoom of the most detailed tiles
 * @property {number} tiles
 * @property {number} bytes
 * @property {string} kept when, as RFC 3339
 * @property {Record<string, string>} dates of the registers, by market
 */

/** prefix begins the names of what this server keeps: another may be at another path of the host. */
export const prefix = `relais ${url('/')} `;

const list = prefix + 'areas';

/** areas lists what is kept, the newest first. @returns {Area[]} */
export function areas() {
  try {
    return JSON.parse(remembered(() => localStorage, list) || '[]');
  } catch {
    return []; // somebody else wrote there
  }
}

/** note writes the list. @param {Area[]} all */
export const note = (all) => remember(() => localStorage, list, JSON.stringify(all));

/**
 * sites returns the summaries of the sites of all areas, by key.
 * @returns {Promise<Map<string, any>>}
 */
export async function keptSites() {
  const found = new Map();
  for (const { name } of areas().reverse()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      if (new URL(request.url).pathname !== url('/map/antennas')) continue;
      const answer = await (await cache.match(request))?.json();
      for (const site of answer.data) found.set(site.siteKey, site);
    }
  }
  return found;
}
