// Marks are drawn on a canvas when the map first needs them. The shape says whose the site is, the
// fill the newest generation, and a hollow mark that nothing is in service yet. No meaning is in
// the colour alone.
import { color } from './dom.mjs';

/** @typedef {import('./types.d.ts').Market} Market */

// How much of a mark is filled, by the newest generation.
const fills = [0.15, 0.15, 0.15, 0.3, 0.55, 1];

const corners = /** @type {Record<string, [number, number, number]>} */ ({
  square: [4, 45, 1.15],
  triangle: [3, 0, 1.25],
  diamond: [4, 0, 1.2],
  pentagon: [5, 0, 1.1],
  hexagon: [6, 30, 1.05],
  star: [10, 0, 1.2],
});

/** bits lists the positions of the bits of a number. @param {number} mask */
export function bits(mask) {
  const list = [];
  for (let i = 0; mask >= 1 && i < 53; i++, mask = Math.floor(mask / 2)) if (mask % 2 === 1) list.push(i);
  return list;
}

/** operatorsOf returns the labels of the operators of a mask. @param {Market} market @param {number} mask */
export const operatorsOf = (market, mask) => bits(mask).map((i) => market.operators[i]?.label ?? '');

/** tone is the colour of an operator. @param {Market} market @param {number} i */
export const tone = (market, i) => color('operator-' + market.operators[i]?.key) || color('mark-ink');

/** shape of the marks of an operator. @param {Market} market @param {number} i */
const shape = (market, i) => color('shape-' + market.operators[i]?.key) || 'circle';

/** @param {number} width @param {number} height */
function canvas(width, height) {
  const c = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
  if (!c) throw new Error('no canvas');
  return c;
}

/** @param {CanvasRenderingContext2D} c @param {string} name @param {number} x @param {number} y @param {number} r */
function outline(c, name, x, y, r) {
  c.beginPath();
  if (name === 'cross') {
    const w = r * 0.4;
    for (const [dx, dy] of [
      [-w, -r],
      [w, -r],
      [w, -w],
      [r, -w],
      [r, w],
      [w, w],
      [w, r],
      [-w, r],
      [-w, w],
      [-r, w],
      [-r, -w],
      [-w, -w],
    ])
      c.lineTo(x + dx, y + dy);
  } else if (!corners[name]) {
    c.arc(x, y, r, 0, 2 * Math.PI);
  } else {
    const [n, turn, scale] = corners[name];
    for (let i = 0; i < n; i++) {
      const a = (2 * Math.PI * i) / n + ((turn - 90) * Math.PI) / 180;
      const far = r * scale * (name === 'star' && i % 2 ? 0.5 : 1);
      c.lineTo(x + far * Math.cos(a), y + far * Math.sin(a));
    }
  }
  c.closePath();
}

/**
 * mark draws a site of 2·size pixels: ops and live are masks of operators, gen a generation.
 * @param {Market} market @param {number} ops @param {number} live @param {number} gen @param {number} size
 */
export function mark(market, ops, live, gen, size) {
  const c = canvas(2 * size, 2 * size);
  const list = bits(ops),
    r = size * 0.62,
    alone = list.length === 1;
  const ink = alone ? tone(market, list[0]) : color('mark-ink');
  outline(c, alone ? shape(market, list[0]) : 'circle', size, size, alone ? r : r * 1.12);
  c.lineWidth = size * 0.42;
  c.strokeStyle = c.fillStyle = color('mark-paper');
  c.stroke();
  c.fill();
  if (live > 0) {
    c.globalAlpha = fills[gen] ?? 0.15;
    c.fillStyle = ink;
    c.fill();
    c.globalAlpha = 1;
  }
  if (alone) {
    c.lineWidth = size * 0.2;
    c.strokeStyle = ink;
    c.stroke();
  } else {
    ring(c, market, list, live, size);
  }
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * ring draws a segment for each operator.
 * @param {CanvasRenderingContext2D} c @param {Market} market @param {number[]} list @param {number} live
 * @param {number} size
 */
function ring(c, market, list, live, size) {
  const turn = (2 * Math.PI) / list.length,
    gap = 0.12;
  list.forEach((i, k) => {
    const from = turn * k - Math.PI / 2;
    c.beginPath();
    c.arc(size, size, size * 0.67, from + gap, from + turn - gap);
    c.lineWidth = size * 0.34;
    c.strokeStyle = tone(market, i);
    c.setLineDash(Math.floor(live / 2 ** i) % 2 === 0 ? [size * 0.18, size * 0.14] : []);
    c.stroke();
  });
}

/**
 * wedge draws a sector whose axis points up. Operators of one bearing are slices of it.
 * @param {Market} market @param {number} ops
 */
export function wedge(market, ops) {
  const size = 64,
    half = (28 * Math.PI) / 180,
    c = canvas(2 * size, 2 * size);
  const tones = bits(ops).map((i) => tone(market, i));
  const slice = (2 * half) / tones.length,
    start = -Math.PI / 2 - half;
  tones.forEach((t, k) => {
    c.beginPath();
    c.moveTo(size, size);
    c.arc(size, size, size * 0.95, start + slice * k, start + slice * (k + 1));
    c.closePath();
    c.fillStyle = t;
    c.globalAlpha = 0.42;
    c.fill();
    c.globalAlpha = 0.9;
    c.strokeStyle = t;
    c.lineWidth = 1.5;
    c.stroke();
  });
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * warning draws an outage: a filled triangle where nothing works, an outlined one where something does.
 * @param {number} size @param {boolean} down
 */
export function warning(size, down) {
  const c = canvas(2 * size, 2 * size);
  c.beginPath();
  for (const [x, y] of [
    [1, 0.2],
    [1.85, 1.75],
    [0.15, 1.75],
  ])
    c.lineTo(size * x, size * y);
  c.closePath();
  c.lineJoin = 'round';
  c.lineWidth = size * 0.34;
  c.strokeStyle = '#ffffff';
  c.stroke();
  c.fillStyle = down ? color('outage') : '#ffffff';
  c.fill();
  c.lineWidth = size * 0.14;
  c.strokeStyle = c.fillStyle = color('outage-ink');
  c.stroke();
  c.fillRect(size * 0.92, size * 0.75, size * 0.16, size * 0.5);
  c.fillRect(size * 0.92, size * 1.35, size * 0.16, size * 0.16);
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * change draws what the last edition changed: a plus, a tick or a minus in a ring.
 * @param {string} kind @param {number} size
 */
export function change(kind, size) {
  const c = canvas(2 * size, 2 * size);
  const lines =
    /** @type {Record<string, number[][][]>} */ ({
      new: [
        [
          [-1, 0],
          [1, 0],
        ],
        [
          [0, -1],
          [0, 1],
        ],
      ],
      active: [
        [
          [-1, 0],
          [-0.3, 0.8],
          [1, -0.8],
        ],
      ],
      gone: [
        [
          [-1, 0],
          [1, 0],
        ],
      ],
    })[kind] ?? [];
  outline(c, 'circle', size, size, size * 0.78);
  c.fillStyle = color('paper');
  c.fill();
  c.strokeStyle = color('change-' + kind) || color('mark-ink');
  c.lineWidth = size * 0.2;
  c.stroke();
  for (const line of lines) {
    c.beginPath();
    for (const [x, y] of line) c.lineTo(size * (1 + 0.38 * x), size * (1 + 0.38 * y));
    c.stroke();
  }
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * picture shows an image in the page.
 * @param {ImageData} image
 */
export function picture(image) {
  const c = canvas(image.width, image.height);
  c.putImageData(image, 0, 0);
  c.canvas.style.width = c.canvas.style.height = image.width / 2 + 'px';
  c.canvas.setAttribute('aria-hidden', 'true');
  return c.canvas;
}
