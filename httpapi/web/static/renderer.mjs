// The renderer: the map itself with all its layers, in the colours of the moment.
import { addKept } from './away.mjs';
import { under } from './basemap.mjs';
import { ask, explain, isKeyTrouble, Refusal, transformRequest } from './data.mjs';
import { calm, element, isDark } from './dom.mjs';
import { opening, padding } from './early.mjs';
import { addLines } from './lines.mjs';
import { addLit } from './lit.mjs';
import { addSites, drawMissing, reload } from './sites.mjs';
import { townLayer } from './style.mjs';
import { url } from './url.mjs';

/** @typedef {import('./types.d.ts').App} App */
/** @typedef {typeof import('maplibre-gl')} Library */
/** @typedef {{ moved: () => void, over: () => void, look: () => void }} Hooks what follows a move, what fills the layers on demand, and what follows a drawing */

/** failed says what a request of the map met. @param {App} app @param {any} e @param {Hooks} hooks */
function failed(app, e, { over }) {
  const { words, config } = app;
  const code = e.error?.status;
  if (config.key && (code === 401 || code === 403)) {
    ask('/markets').then(
      () => code === 403 && app.tell(words.noAccess),
      (x) => {
        // of a key that is refused its dialog speaks
        if (!(x instanceof Refusal && isKeyTrouble(x))) app.tell(explain(x, words));
      },
    );
    return;
  }
  if (code && code < 500 && code !== 429) return;
  app.tell(explain(code ? new Refusal(code, '', 0) : null, words), () => {
    if (app.map) reload(app.map, app);
    over();
  });
}

/**
 * draw makes the map.
 * @param {App} app @param {Library} library @param {Hooks} hooks
 */
export async function draw(app, library, hooks) {
  const { words, config } = app;
  const style = await under(library, config);
  const map = new library.Map({
    container: 'map',
    style,
    hash: 'map',
    ...(config.start
      ? { center: config.start, zoom: 15 }
      : { bounds: opening, fitBoundsOptions: { padding: padding() } }),
    transformRequest,
    maxZoom: 19,
    attributionControl: { compact: false },
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: calm() ? 0 : 200,
  });
  app.map = map;
  map.touchZoomRotate.disableRotation();
  map.addControl(new library.ScaleControl(), 'bottom-right');
  map.getCanvas().setAttribute('aria-label', words.mapHelp);
  drawMissing(map, app);
  map.on('style.load', () => {
    addSites(map, app, map.getSource('base') && townLayer(words.lang)); // another server's style has names of its own
    addLines(app);
    addLit(app);
    addKept(app);
    hooks.over();
  });
  map.on('dataloading', () => {
    element('progress').hidden = false;
  });
  map.on('idle', () => {
    element('progress').hidden = true;
    hooks.look();
  });
  map.on('moveend', hooks.moved);
  map.on('error', (e) => failed(app, e, hooks));
}

const scheme = matchMedia('(prefers-color-scheme: dark)');

/**
 * attachTheme makes the button of the theme work.
 * @param {App} app @param {Library | null} library @param {() => void} painted
 */
export function attachTheme(app, library, painted) {
  const repaint = async () => {
    if (app.map && library) app.map.setStyle(await under(library, app.config), { diff: false });
    painted();
  };
  for (const button of document.querySelectorAll('button.theme'))
    button.addEventListener('click', () => {
      const theme = isDark() ? 'light' : 'dark';
      document.documentElement.style.colorScheme = theme;
      // the other pages have no scripts: /theme.css follows the cookie
      document.cookie = `theme=${theme}; path=${url('/')}; max-age=31536000; samesite=lax`;
      repaint();
    });
  scheme.addEventListener('change', repaint);
}
