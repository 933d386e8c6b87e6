// Marks are drawn on a canvas when the map first needs them: a disc with the digit of the best
// generation in service and an arc for each operator, hollow where an operator only plans. Colours of
// operators never stand alone: the card, the tooltip and the list name them.
import { color } from './dom.mjs';

/** @typedef {import('./types.d.ts').Market} Market */

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
 * sign is the shape of an operator in its colour, for the panel and the legend.
 * @param {Market} market @param {number} i @param {number} size
 */
export function sign(market, i, size) {
  const c = canvas(2 * size, 2 * size);
  outline(c, shape(market, i), size, size, size * 0.72);
  c.fillStyle = tone(market, i);
  c.fill();
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * mark draws a site of 2·size pixels: ops and live are masks of operators, gen a generation.
 * @param {Market} market @param {number} ops @param {number} live @param {number} gen @param {number} size
 */
export function mark(market, ops, live, gen, size) {
  const c = canvas(2 * size, 2 * size);
  outline(c, 'circle', size, size, size * 0.92);
  c.fillStyle = color('mark-paper');
  c.fill();
  c.lineWidth = size * 0.06;
  c.strokeStyle = color('mark-rim');
  c.stroke();
  ring(c, market, bits(ops), live, size);
  if (live > 0 && gen > 0) {
    c.fillStyle = color('mark-ink');
    c.font = `700 ${size * 0.94}px system-ui, "Noto Sans", "DejaVu Sans", sans-serif`;
    c.textAlign = 'center';
    c.textBaseline = 'alphabetic';
    c.fillText(String(gen), size, size * 1.34);
  }
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

/**
 * ring draws an arc for each operator, the first one at the top.
 * @param {CanvasRenderingContext2D} c @param {Market} market @param {number[]} list @param {number} live
 * @param {number} size
 */
function ring(c, market, list, live, size) {
  const turn = (2 * Math.PI) / list.length,
    gap = list.length > 1 ? 0.1 : 0,
    width = size * 0.27,
    line = size * 0.08;
  list.forEach((i, k) => {
    const from = turn * k - Math.PI / 2 + gap,
      to = turn * (k + 1) - Math.PI / 2 - gap;
    const arc = (/** @type {string} */ style, /** @type {number} */ wide, /** @type {number} */ inset) => {
      c.beginPath();
      c.arc(size, size, size * 0.74, from + (gap && inset), to - (gap && inset));
      c.lineWidth = wide;
      c.strokeStyle = style;
      c.stroke();
    };
    arc(tone(market, i), width, 0);
    if (Math.floor(live / 2 ** i) % 2 === 0) arc(color('mark-paper'), width - 2 * line, line / size);
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
  c.fillStyle = color(down ? 'outage' : 'outage-part');
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
