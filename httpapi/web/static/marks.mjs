// Marks are drawn on a canvas when the map first needs them. The shape says whose the site is, the
// fill the newest generation, and a hollow mark that nothing is in service yet. No meaning is in
// the colour alone.

const shapes = ['circle', 'square', 'triangle', 'diamond', 'pentagon', 'cross', 'hexagon', 'star'];

// Colours near the brands of operators, apart from each other in lightness too.
const brands = {
  ORANGE: '#f08a00', SFR: '#a50021', BOUYGUES: '#0069b4', FREE: '#ee7d8b', SWISSCOM: '#0b5fd0', SUNRISE: '#c0186b',
  SALT: '#3aa657', PROXIMUS_BE: '#5c2d91', TELENET_BASE_BE: '#e0b000', ORANGE_BE: '#f08a00', BELL: '#0a58a8',
  ROGERS: '#c01826', TELUS: '#4b8f29',
};
const others = ['#5a7d9a', '#a8743a', '#6b8e3d', '#8d5a97', '#3d8e8a', '#9a5a5a', '#7a7a3a', '#55608f'];

export const color = (market, i) => brands[market.operators[i].key] ?? others[i % others.length];
// onPaper makes a colour lighter for dark paper, so that it keeps its contrast.
const onPaper = (tone, dark) => (dark ? `color-mix(in oklab, ${tone} 62%, white)` : tone);

export const shape = (i) => shapes[i % shapes.length];

// bits lists the positions of the bits of a number.
export function bits(mask) {
  const list = [];
  for (let i = 0; i < 32; i++) if (Math.floor(mask / 2 ** i) % 2 === 1) list.push(i);
  return list;
}

const fills = { 5: 1, 4: 0.55, 3: 0.3, 2: 0.15 };

function outline(c, name, x, y, r) {
  const corners = { square: [4, 45, 1.15], triangle: [3, 0, 1.25], diamond: [4, 0, 1.2], pentagon: [5, 0, 1.1], hexagon: [6, 30, 1.05], star: [6, 0, 1.1] }[name];
  c.beginPath();
  if (name === 'cross') {
    const w = r * 0.4;
    for (const [dx, dy] of [[-w, -r], [w, -r], [w, -w], [r, -w], [r, w], [w, w], [w, r], [-w, r], [-w, w], [-r, w], [-r, -w], [-w, -w]]) c.lineTo(x + dx, y + dy);
  } else if (!corners) {
    c.arc(x, y, r, 0, 2 * Math.PI);
  } else {
    const [n, turn, scale] = corners;
    for (let i = 0; i < n; i++) {
      const a = (2 * Math.PI * i) / n + ((turn - 90) * Math.PI) / 180;
      const far = r * scale * (name === 'star' && i % 2 ? 0.5 : 1);
      c.lineTo(x + far * Math.cos(a), y + far * Math.sin(a));
    }
  }
  c.closePath();
}

// draw draws a mark of 2·size pixels: ops and live are masks of operators, gen a generation.
export function draw(market, ops, live, gen, size, dark) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2 * size;
  const c = canvas.getContext('2d');
  const paper = dark ? '#181d1c' : '#ffffff';
  const list = bits(ops);
  const r = size * 0.62;
  const fill = (tone) => {
    c.fillStyle = paper;
    c.fill();
    if (live === 0) return;
    c.globalAlpha = fills[gen] ?? 0.15;
    c.fillStyle = tone;
    c.fill();
    c.globalAlpha = 1;
  };
  if (list.length === 1) {
    const tone = onPaper(color(market, list[0]), dark);
    outline(c, shape(list[0]), size, size, r);
    c.lineWidth = size * 0.42;
    c.strokeStyle = paper;
    c.stroke();
    fill(tone);
    c.lineWidth = size * 0.2;
    c.strokeStyle = tone;
    c.stroke();
  } else {
    // several operators: a ring with a segment for each
    const ink = dark ? '#e6eae9' : '#37403d';
    outline(c, 'circle', size, size, r * 1.12);
    c.lineWidth = size * 0.42;
    c.strokeStyle = paper;
    c.stroke();
    fill(ink);
    list.forEach((i, k) => {
      const from = (2 * Math.PI * k) / list.length - Math.PI / 2, gap = 0.12;
      c.beginPath();
      c.arc(size, size, r * 1.08, from + gap, from + (2 * Math.PI) / list.length - gap);
      c.lineWidth = size * 0.34;
      c.strokeStyle = onPaper(color(market, i), dark);
      if (Math.floor(live / 2 ** i) % 2 === 0) c.setLineDash([size * 0.18, size * 0.14]);
      else c.setLineDash([]);
      c.stroke();
    });
  }
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

// wedge draws the sign of a sector, whose axis points up.
export function wedge(size) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2 * size;
  const c = canvas.getContext('2d');
  c.beginPath();
  c.moveTo(size, size);
  c.arc(size, size, size * 0.95, ((-90 - 28) * Math.PI) / 180, ((-90 + 28) * Math.PI) / 180);
  c.closePath();
  c.fillStyle = '#000';
  c.fill();
  return c.getImageData(0, 0, 2 * size, 2 * size);
}

// warning draws the sign of an outage: a filled triangle where nothing works, an outlined one where
// something does.
export function warning(size, down) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2 * size;
  const c = canvas.getContext('2d');
  c.beginPath();
  c.moveTo(size, size * 0.2);
  c.lineTo(size * 1.85, size * 1.75);
  c.lineTo(size * 0.15, size * 1.75);
  c.closePath();
  c.lineJoin = 'round';
  c.lineWidth = size * 0.34;
  c.strokeStyle = '#ffffff';
  c.stroke();
  c.fillStyle = down ? '#ffd23f' : '#ffffff';
  c.fill();
  c.lineWidth = size * 0.14;
  c.strokeStyle = '#5a3a00';
  c.stroke();
  c.fillStyle = '#3b2600';
  c.fillRect(size * 0.92, size * 0.75, size * 0.16, size * 0.5);
  c.fillRect(size * 0.92, size * 1.35, size * 0.16, size * 0.16);
  return c.getImageData(0, 0, 2 * size, 2 * size);
}
