// The first dots: drawn on a canvas from the tiles that the map will ask for, while its library is still
// on its way. The canvas goes when the map has drawn everything, or is moved.
import { color, isPhone, node } from './dom.mjs';
import { tone } from './marks.mjs';
import { everySite, tilesOf } from './sites.mjs';
import { serves } from './state.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {import('./types.d.ts').Market} Market */
/** @typedef {{ ops: number, live: number, points: number[][], extent: number }} Group */

const side = 512, // pixels of a tile
  mostTiles = 24;

/** mercator returns a position as fractions of the world. @param {number} lng @param {number} lat */
const mercator = (lng, lat) => [
  lng / 360 + 0.5,
  0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI),
];

/** padding is what the map leaves around a market, in pixels. */
export const padding = () => (isPhone() ? 4 : 24);

/**
 * placeOf returns the middle and the zoom that the map will have.
 * @param {App} app @param {Market} home @param {number} width @param {number} height
 */
function placeOf({ config }, home, width, height) {
  const m = /^#map=([\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)/.exec(location.hash);
  if (m) return { zoom: Number(m[1]), middle: mercator(Number(m[3]), Number(m[2])) };
  if (config.start) return { zoom: 15, middle: mercator(config.start.lng, config.start.lat) };
  const [w, s, e, n] = home.bounds,
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
 * @param {App} app @param {Market} home @param {HTMLElement} into
 * @returns {Promise<() => void>}
 */
export async function draw(app, home, into) {
  const { clientWidth: width, clientHeight: height } = into,
    { zoom, middle } = placeOf(app, home, width, height);
  const z = Math.max(0, Math.min(14, Math.floor(zoom))),
    size = side * 2 ** (zoom - z), // of a tile on the screen
    left = middle[0] * 2 ** z - width / 2 / size,
    top = middle[1] * 2 ** z - height / 2 / size;
  const canvas = node('canvas', { className: 'early', width: width * devicePixelRatio, height: height * devicePixelRatio });
  const c = canvas.getContext('2d');
  /** @type {Promise<void>[]} */
  const drawn = [];
  for (const m of app.markets) {
    const [x1, y1] = mercator(m.bounds[0], m.bounds[3]).map((v) => v * 2 ** z),
      [x2, y2] = mercator(m.bounds[2], m.bounds[1]).map((v) => v * 2 ** z),
      address = tilesOf(m, app, z < everySite ? 'dots' : '');
    if (!serves(m, app.state)) continue;
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
      c.beginPath();
      for (const [px, py] of points) {
        const [cx, cy] = [(x - left + px / extent) * unit, (y - top + py / extent) * unit];
        c.moveTo(cx + r, cy);
        c.arc(cx, cy, r, 0, 7);
      }
      c.fill();
    }
  }

  into.append(canvas);
  await Promise.all(drawn).catch(() => {}); // the map says what is wrong
  return () => canvas.remove();
}
