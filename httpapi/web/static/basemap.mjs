// What is under the sites: the map without streets that the program carries, streets from a PMTiles
// file of this server, or another server's style.
import { color, isDark } from './dom.mjs';
import { everySite } from './sites.mjs';
import { baseStyle, fonts } from './style.mjs';

const openStreetMap = '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>';

/** @typedef {import('./types.d.ts').Config} Config */
/** @typedef {import('maplibre-gl').StyleSpecification} Style */

/**
 * under returns the style of the map as config says, or its address. A file or a style that cannot be
 * read leaves the map without streets.
 * @param {any} maplibre @param {Config} config
 * @returns {Promise<Style | string>}
 */
export async function under(maplibre, config) {
  document.body.toggleAttribute('data-under', Boolean(config.style || config.basemap)); // has more credits
  if (config.style) return config.style;
  if (!config.basemap) return baseStyle(config.assets.base);
  try {
    await readRanges(maplibre, config.assets.ranges ?? '');
    const url = new URL(config.basemap, location.href).href;
    const { minLon, minLat, maxLon, maxLat } = await new (pmtiles().PMTiles)(url).getHeader(); // fails for a file that is gone
    const style = await streets(config, 'pmtiles://' + url);
    style.metadata = { streets: [minLon, minLat, maxLon, maxLat] };
    return style;
  } catch (e) {
    console.warn('no streets:', e);
    return baseStyle(config.assets.base);
  }
}

/** @type {Promise<any[]> | undefined} */
let base;

/**
 * readBase returns the features of a kind of the map without streets, which the browser has in its cache.
 * @param {string} address @param {string} kind @returns {Promise<any[]>}
 */
export async function readBase(address, kind) {
  base ??= fetch(address)
    .then((a) => a.json())
    .then((map) => map.features);
  try {
    return (await base).filter((f) => f.properties.kind === kind);
  } catch {
    base = undefined;
    return [];
  }
}

// The library is a script of the old kind, which leaves a global name.
const pmtiles = () => /** @type {any} */ (globalThis).pmtiles;

/** @type {Promise<void> | undefined} */
let ranges;

/** readRanges makes MapLibre read PMTiles files, once. @param {any} maplibre @param {string} library */
function readRanges(maplibre, library) {
  ranges ??= new Promise((/** @type {(v?: unknown) => void} */ done, failed) => {
    const script = document.createElement('script');
    script.src = library;
    script.addEventListener('load', done);
    script.addEventListener('error', () => {
      ranges = undefined;
      failed(new Error(library));
    });
    document.head.append(script);
  }).then(() => maplibre.addProtocol('pmtiles', new (pmtiles().Protocol)().tile));
  return ranges;
}

/**
 * streets is the style of Protomaps, above the map without streets, which shows what the file leaves
 * out. Pictures are left out, and letters come from the machine's fonts.
 * @param {Config} config @param {string} url
 */
async function streets(config, url) {
  const { layers, namedFlavor } = await import(config.assets.streets ?? '');
  const style = baseStyle(config.assets.base);
  style.sources.streets = { type: 'vector', url, attribution: openStreetMap };
  const green = color('green');
  const flavor = {
    // nearly grey, and the same at the edge of the file
    ...namedFlavor(isDark() ? 'dark' : 'grayscale'),
    landcover: undefined,
    park_a: green,
    park_b: green,
    wood_a: green,
    wood_b: green,
    scrub_a: green,
    scrub_b: green,
    zoo: green,
    earth: color('land'),
    water: color('water'),
  };
  const drawn = layers('streets', flavor, { lang: config.words.lang });
  for (const layer of drawn) {
    if (layer.type === 'background') continue; // it would hide the rest of the world
    layer.id = 'streets-' + layer.id; // others have the same ids
    if (layer.type !== 'symbol') {
      style.layers.push(layer);
      continue;
    }
    const { layout } = layer;
    if (!layout?.['text-field'] || layer.id === 'streets-pois') continue;
    if (layer.id === 'streets-places_locality') layer.minzoom = everySite; // until then the base map names towns
    for (const name of Object.keys(layout)) if (name.startsWith('icon-')) delete layout[name];
    style.layers.push({ ...layer, layout: { ...layout, 'text-font': fonts } });
  }
  return style;
}
