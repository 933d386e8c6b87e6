// What is under the sites: the map without streets that the program carries, streets from a PMTiles
// file of this server, or another server's style.
import { baseStyle, fonts } from './style.mjs';

const openStreetMap = '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>';

// under returns the style of the map as config says. A file or a style that cannot be read leaves the map
// without streets.
export async function under(maplibre, config, dark) {
  if (config.style) return config.style;
  if (!config.basemap) return baseStyle(dark, config.assets.base);
  try {
    await readRanges(maplibre, config.assets.ranges);
    const url = new URL(config.basemap, location.href).href;
    await new globalThis.pmtiles.PMTiles(url).getHeader(); // fails for a file that is gone
    return await streets(config, dark, 'pmtiles://' + url);
  } catch (e) {
    console.warn('no streets:', e);
    return baseStyle(dark, config.assets.base);
  }
}

let ranges;

// readRanges makes MapLibre read PMTiles files, once.
function readRanges(maplibre, library) {
  ranges ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = library;
    script.addEventListener('load', done);
    script.addEventListener('error', () => { ranges = undefined; failed(new Error(library)); });
    document.head.append(script);
  }).then(() => maplibre.addProtocol('pmtiles', new globalThis.pmtiles.Protocol().tile));
  return ranges;
}

// streets is the style of Protomaps, above the map without streets, which shows what the file leaves
// out. Pictures are left out, and letters come from the machine's fonts.
async function streets(config, dark, url) {
  const { layers, namedFlavor } = await import(config.assets.streets);
  const style = baseStyle(dark, config.assets.base);
  style.sources.streets = { type: 'vector', url, attribution: openStreetMap };
  const colour = (id) => style.layers.find((l) => l.id === id).paint;
  const green = dark ? '#232c28' : '#e5ebe1';
  const flavor = { // nearly grey, and the same at the edge of the file
    ...namedFlavor(dark ? 'dark' : 'grayscale'), landcover: undefined,
    park_a: green, park_b: green, wood_a: green, wood_b: green, scrub_a: green, scrub_b: green, zoo: green,
    earth: colour('land')['fill-color'], water: colour('water')['background-color'],
  };
  const drawn = layers('streets', flavor, { lang: config.words.lang });
  for (const layer of drawn) {
    if (layer.type === 'background') continue; // it would hide the rest of the world
    layer.id = 'streets-' + layer.id; // others have the same ids
    if (layer.type !== 'symbol') { style.layers.push(layer); continue; }
    const { layout } = layer;
    if (!layout?.['text-field'] || layer.id === 'streets-pois') continue;
    for (const name of Object.keys(layout)) if (name.startsWith('icon-')) delete layout[name];
    style.layers.push({ ...layer, layout: { ...layout, 'text-font': fonts } });
  }
  return style;
}
