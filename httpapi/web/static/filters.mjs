// The panel of filters, with the legend.
import { draw } from './marks.mjs';
import { overlays, signal, speeds } from './overlays.mjs';

const generations = ['2G', '3G', '4G', '5G'];

function node(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

function picture(image) {
  const canvas = node('canvas', { width: image.width, height: image.height });
  canvas.getContext('2d').putImageData(image, 0, 0);
  canvas.style.width = canvas.style.height = image.width / 2 + 'px';
  canvas.setAttribute('aria-hidden', 'true');
  return canvas;
}

// show fills the panel for a market. change is called with the new state.
export function show(panel, market, state, words, dark, change) {
  const toggle = (list, value) => (list.includes(value) ? list.filter((v) => v !== value) : [...list, value]);
  const focus = document.activeElement?.id;
  const operators = market.operators.map((o, i) => {
    const box = node('input', { type: 'checkbox', id: 'operator-' + o.key, checked: state.operators.length === 0 || state.operators.includes(o.key) });
    box.addEventListener('change', () => {
      const all = market.operators.map((p) => p.key);
      const now = state.operators.length === 0 ? all.filter((key) => key !== o.key) : toggle(state.operators, o.key);
      change({ operators: all.every((key) => now.includes(key)) ? [] : now });
    });
    return node('label', {}, box, picture(draw(market, 2 ** i, 2 ** i, 5, 18, dark)), o.label);
  });
  const buttons = generations.map((g) => {
    const b = node('button', { type: 'button', id: 'generation-' + g, textContent: g });
    b.setAttribute('aria-pressed', String(state.generations.includes(g)));
    b.addEventListener('click', () => change({ generations: toggle(state.generations, g).sort() }));
    return b;
  });
  const choose = (id, label, none, values, value, key) => {
    const s = node('select', { id }, node('option', { value: '', textContent: none }), ...values.map((v) => node('option', { value: v, textContent: v, selected: v === value })));
    s.setAttribute('aria-label', label);
    s.addEventListener('change', () => change({ [key]: s.value }));
    return s;
  };
  const clear = node('button', { type: 'button', className: 'clear', id: 'clear', textContent: words.clearFilters, hidden: active(state) === 0 });
  clear.addEventListener('click', () => change({ operators: [], generations: [], band: '', status: '' }));
  const layers = Object.entries(overlays).filter(([, o]) => o.serves(market)).map(([name]) => {
    const box = node('input', { type: 'checkbox', id: 'layer-' + name, checked: state.layers.includes(name) });
    box.addEventListener('change', () => change({ layers: toggle(state.layers, name) }));
    return node('label', {}, box, words['layer_' + name]);
  });
  const several = market.operators.length > 1 ? 3 : 1;
  panel.replaceChildren(
    node('h2', { textContent: words.operators }), ...operators,
    node('h2', { textContent: words.generation }), node('div', { className: 'row' }, ...buttons),
    ...(market.bands.length > 0 ? [node('h2', { textContent: words.bands }), choose('band', words.bands, words.allBands, market.bands, state.band, 'band')] : []),
    ...(market.statuses.length > 0 ? [node('h2', { textContent: words.status }), choose('status', words.status, words.anyStatus, market.statuses, state.status, 'status')] : []),
    clear,
    node('h2', { textContent: words.layers }), ...layers,
    node('h2', { textContent: words.legend }),
    node('div', { className: 'legend' },
      picture(draw(market, several, several, 5, 18, dark)), node('span', { textContent: words.shared }),
      ...[5, 4, 3, 2].flatMap((g) => [picture(draw(market, 1, 1, g, 18, dark)), node('span', { textContent: g + 'G' })]),
      picture(draw(market, 1, 0, 5, 18, dark)), node('span', { textContent: words.hollow }),
      ...scale(state, 'coverage', signal), ...scale(state, 'speedtests', speeds)),
    node('h2', { textContent: words.sitesInView }), node('ol', { id: 'list' }),
  );
  if (focus) document.getElementById(focus)?.focus();
}

// scale is the legend of a layer with steps of colour.
const scale = (state, name, steps) => (state.layers.includes(name) ? steps.flatMap((s) => {
  const swatch = node('span', { className: 'swatch' });
  swatch.style.background = s.color;
  return [swatch, node('span', { textContent: s.label })];
}) : []);

// active counts the filters that are set.
export const active = (state) => [state.operators.length > 0, state.generations.length > 0, state.band !== '', state.status !== ''].filter(Boolean).length;

export { node };
