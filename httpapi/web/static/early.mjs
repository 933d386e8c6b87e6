// The first thing that runs: it draws dots on a canvas from the tiles that the map will ask for, while
// the map itself is still on its way. The canvas goes when the map has drawn everything, or is moved.
import { color, element, isPhone, node } from './dom.mjs';
import { areas } from './kept.mjs';
import { tone } from './marks.mjs';
import { everySite, tilesOf } from './sites.mjs';
import { none, read, serves, write } from './state.mjs';

/** @typedef {import('./types.d.ts').Config} Config */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {import('./types.d.ts').State} State */
/** @typedef {{ ops: number, live: number, points: number[][], extent: number }} Group */

const side = 512, // pixels of a tile
  mostTiles = 24;

/** mercator returns a position as fractions of the world. @param {number} lng @param {number} lat */
export const mercator = (lng, lat) => [
  lng / 360 + 0.5,
  0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI),
];

/** @type {Config} */
export const config = JSON.parse(element('config').textContent ?? '');
for (const m of config.markets) m.bands = bandsOf(m);
const [area] = config.kept ? areas() : [];
if (config.kept) {
  // what needs the server is left out, and registers are as old as what is kept
  delete config.style;
  delete config.basemap;
  write({ ...read(), ...none, layers: [] });
  for (const m of config.markets) m.date = area?.dates[m.code] ?? m.date;
}

/** home is the market at which the map opens. */
export const home = config.markets.find((m) => m.code === 'FR') ?? config.markets[0];

/** opening is what the map shows if the address does not say it: west, south, east, north. */
export const opening = area?.box ?? home?.bounds;

/** bandsOf lists the bands of a market's systems in MHz. @param {Market} m */
function bandsOf(m) {
  const bands = (m.systems ?? []).map((s) => /(\d{3,5})\s*$/.exec(s)?.[1] ?? '').filter(Boolean);
  return [...new Set(bands)].sort((a, b) => Number(a) - Number(b));
}

/** padding is what the map leaves around a market, in pixels. Around what is kept is nothing to show. */
export const padding = () => (area ? 0 : isPhone() ? 4 : 24);

/** placeOf returns the middle and the zoom that the map will have. @param {number} width @param {number} height */
function placeOf(width, height) {
  const m = /^#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)/.exec(location.hash);
  if (m) return { zoom: Number(m[1]), middle: mercator(Number(m[3]), Number(m[2])) };
  if (config.start) return { zoom: 15, middle: mercator(config.start.lng, config.start.lat) };
  const [w, s, e, n] = opening,
    [x1, y1] = mercator(w, n),
    [x2, y2] = mercator(e, s),
    room = 2 * padding();
  const scale = Math.min((width - room) / (x2 - x1), (height - room) / (y2 - y1));
  return { zoom: Math.log2(scale / side), middle: [(x1 + x2) / 2, (y1 + y2) / 2] };
}

/** fields reads a message of Protocol Buffers: numbers, and parts as bytes. @param {Uint8Array} bytes */
function* fields(bytes) {
  let at = 0;
  const varint = () => {
    for (let n = 0, shift = 1; ; shift *= 128) {
      const b = bytes[at++];
      n += (b & 127) * shift;
      if (!(b & 128)) return n;
    }
  };
  while (at < bytes.length) {
    const tag = varint(),
      value = varint();
    if ((tag & 7) === 0) yield { field: tag >> 3, value, part: bytes };
    else yield { field: tag >> 3, value, part: bytes.subarray(at, (at += value)) };
  }
}

/** numbers reads packed numbers. @param {Uint8Array} bytes */
function numbers(bytes) {
  const list = [];
  for (let at = 0, n = 0, shift = 1; at < bytes.length; at++) {
    n += (bytes[at] & 127) * shift;
    shift *= 128;
    if (bytes[at] & 128) continue;
    list.push(n);
    [n, shift] = [0, 1];
  }
  return list;
}

/**
 * groupsOf reads the points of the sites of a tile: https://github.com/mapbox/vector-tile-spec/tree/master/2.1.
 * @param {Uint8Array} tile @returns {Group[]}
 */
function groupsOf(tile) {
  const groups = [],
    text = new TextDecoder();
  for (const { part: layer } of fields(tile)) {
    const parts = [...fields(layer)];
    const of = (/** @type {number} */ field) => parts.filter((p) => p.field === field);
    const name = text.decode(of(1)[0].part);
    if (name !== 'dots' && name !== 'sites') continue;
    const keys = of(3).map((p) => text.decode(p.part)),
      values = of(4).map((p) => fields(p.part).next().value?.value ?? 0),
      extent = of(5)[0].value;
    for (const { part: feature } of of(2)) {
      const inner = [...fields(feature)],
        tags = numbers(inner.find((p) => p.field === 2)?.part ?? new Uint8Array()),
        path = numbers(inner.find((p) => p.field === 4)?.part ?? new Uint8Array());
      const valueOf = (/** @type {string} */ key) => {
        const i = tags.findIndex((t, k) => k % 2 === 0 && keys[t] === key);
        return i < 0 ? 0 : values[tags[i + 1]];
      };
      const points = [];
      for (let i = 1, x = 0, y = 0; i + 1 < path.length; i += 2) {
        x += (path[i] >>> 1) ^ -(path[i] & 1);
        y += (path[i + 1] >>> 1) ^ -(path[i + 1] & 1);
        points.push([x, y]);
      }
      groups.push({ ops: valueOf('ops'), live: valueOf('live'), points, extent });
    }
  }
  return groups;
}

/** radiusOf is about that of the map's dots, in pixels. @param {number} zoom */
const radiusOf = (zoom) => Math.min(5, Math.max(0.7, 0.95 * 1.23 ** (zoom - 5)));

/**
 * draw shows the sites of the place at which the map will open. The result removes them.
 * @param {HTMLElement} into @param {State} state
 * @returns {Promise<() => void>}
 */
async function draw(into, state) {
  const { clientWidth: width, clientHeight: height } = into,
    { zoom, middle } = placeOf(width, height);
  const z = Math.max(0, Math.min(14, Math.floor(zoom))),
    size = side * 2 ** (zoom - z), // of a tile on the screen
    left = middle[0] * 2 ** z - width / 2 / size,
    top = middle[1] * 2 ** z - height / 2 / size;
  const canvas = node('canvas', { className: 'early', width: width * devicePixelRatio, height: height * devicePixelRatio });
  const c = canvas.getContext('2d');
  /** @type {Promise<void>[]} */
  const drawn = [];
  for (const m of config.markets) {
    const [x1, y1] = mercator(m.bounds[0], m.bounds[3]).map((v) => v * 2 ** z),
      [x2, y2] = mercator(m.bounds[2], m.bounds[1]).map((v) => v * 2 ** z),
      address = tilesOf(m, { state }, z < everySite ? 'dots' : '');
    if (!serves(m, state)) continue;
    for (let x = Math.floor(Math.max(left, x1)); x <= Math.min(left + width / size, x2); x++)
      for (let y = Math.floor(Math.max(top, y1)); y <= Math.min(top + height / size, y2); y++)
        if (drawn.length < mostTiles) drawn.push(tile(m, address, z, x, y));
  }

  /** @param {Market} m @param {string} address @param {number} z @param {number} x @param {number} y */
  async function tile(m, address, z, x, y) {
    const answer = await fetch(
      address.replace('{z}', String(z)).replace('{x}', String(x)).replace('{y}', String(y)),
    );
    if (!answer.ok || answer.status === 204 || !c) return;
    const r = radiusOf(zoom) * devicePixelRatio,
      unit = size * devicePixelRatio;
    for (const { ops, live, points, extent } of groupsOf(new Uint8Array(await answer.arrayBuffer()))) {
      const alone = m.operators.findIndex((_, i) => 2 ** i === ops);
      c.fillStyle = alone < 0 ? color('several') : tone(m, alone);
      c.globalAlpha = live === 0 ? 0.45 : 0.9;
      for (const [px, py] of points) {
        const cx = (x - left + px / extent) * unit,
          cy = (y - top + py / extent) * unit;
        if (r < 2) {
          c.fillRect(cx - r, cy - r, 2 * r, 2 * r); // ten thousands of circles take seconds
          continue;
        }
        c.beginPath();
        c.arc(cx, cy, r, 0, 7);
        c.fill();
      }
    }
  }

  into.append(canvas);
  await Promise.all(drawn).catch(() => {}); // the map says what is wrong
  // The library keeps the browser busy for a second: before that the dots are to be seen. A page in the
  // background has no frames.
  await new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, 200);
  });
  return () => canvas.remove();
}

const nothing = () => {};

/** firstDots resolves when the dots are drawn, or cannot be, with a function that removes them. */
export const firstDots = (config.key || !home ? Promise.resolve(nothing) : draw(element('map'), read())).catch(
  () => nothing, // the map opens without them
);
if (config.alone) import('./alone.mjs');
else import('./main.mjs');
