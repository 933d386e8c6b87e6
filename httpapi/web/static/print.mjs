// On paper the map is a picture: what WebGL drew is gone by the time a printer asks for it.
import { element, node } from './dom.mjs';
import { chosenAt } from './lit.mjs';

/** shape is the width of the picture on paper, in heights. */
const shape = 186 / 75;

/**
 * drawn copies what the map shows, with the chosen site in the middle.
 * @param {import('maplibre-gl').Map} map
 */
function drawn(map) {
  map.redraw(); // the drawing lasts until the end of this task
  const all = map.getCanvas(),
    dots = all.width / all.clientWidth,
    at = chosenAt();
  const { x, y } = at ? map.project(at) : { x: all.clientWidth / 2, y: all.clientHeight / 2 };
  const half = Math.min(x * dots, all.width - x * dots, shape * y * dots, shape * (all.height - y * dots));
  const copy = node('canvas', { width: Math.max(1, 2 * half), height: Math.max(1, (2 * half) / shape) });
  copy.getContext('2d')?.drawImage(all, half - x * dots, half / shape - y * dots);
  return copy.toDataURL('image/png');
}

/** attach prepares the page for paper. @param {import('./types.d.ts').App} app */
export function attach(app) {
  /** @type {HTMLImageElement | null} */
  let picture = null;
  /** @type {HTMLCanvasElement | null} */
  let code = null;
  /** The library that draws codes: a printer does not wait for it. @type {any} */
  let qr = null;
  let theme = '';
  app.map?.once('idle', async () => {
    qr = await import(app.config.assets.qr).catch(() => null);
  });
  addEventListener('beforeprint', () => {
    theme = document.documentElement.style.colorScheme;
    document.documentElement.style.colorScheme = 'light'; // paper is white
    const day = new Date().toLocaleDateString(app.words.locale, { dateStyle: 'long' });
    const credit = document.querySelector('.maplibregl-ctrl-attrib-inner')?.textContent?.trim();
    element('paper').textContent = [location.href, `relais, ${day}`, credit].filter(Boolean).join(' · ');
    if (!app.map) return;
    picture = node('img', { className: 'picture', alt: app.words.map, src: drawn(app.map) });
    element('map').append(picture);
    if (!qr) return;
    code = node('canvas', { className: 'qr' });
    qr.generate(location.href).toCanvas(code);
    element('map').append(code);
  });
  addEventListener('afterprint', () => {
    picture?.remove();
    code?.remove();
    picture = code = null;
    document.documentElement.style.colorScheme = theme;
  });
}
