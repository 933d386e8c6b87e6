// The service worker of kept areas. It runs once somebody keeps one. While the server answers, its answers
// are what pages get. The server writes the constant build in front: what this build of the program needs.

const worker = /** @type {any} */ (self); // the compiler knows the types of pages

const prefix = `relais ${build.base} `,
  program = `${prefix}program ${build.hash}`,
  patience = 8000; // milliseconds until a network counts as none

/** install keeps the program: all of it is of one build. */
async function install() {
  const cache = await caches.open(program);
  await cache.addAll(build.files);
  const answer = await fetch(build.page, { cache: 'reload' }),
    text = await answer.text();
  if (!answer.ok || !text.includes(build.hash)) throw new Error('the page is of another build');
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policyOf(answer) };
  const kept = text.replace('id="config">{', 'id="config">{"kept":true,');
  await cache.put(build.base, new Response(kept, { headers }));
  await worker.skipWaiting();
}

/** @param {Response} answer */
const policyOf = (answer) => answer.headers.get('Content-Security-Policy') ?? "default-src 'none'";

/** activate deletes the programs of other builds. */
async function activate() {
  for (const name of await caches.keys())
    if (name.startsWith(`${prefix}program `) && name !== program) await caches.delete(name);
  await worker.clients.claim();
}

/** tell says to the pages that the server is silent. */
async function tell() {
  for (const page of await worker.clients.matchAll({ type: 'window' })) page.postMessage('away');
}

/**
 * keptFor returns the answer of the newest area that has one: tiles are kept without the version of the data.
 * @param {URL} url
 */
async function keptFor(url) {
  url.searchParams.delete('v');
  const names = (await caches.keys()).filter((name) => name.startsWith(`${prefix}area `)).sort();
  for (const name of names.reverse()) {
    const found = await (await caches.open(name)).match(url, { ignoreVary: true });
    if (found) return found;
  }
}

/** programFor returns a file of the program, or its page. @param {string | Request} of */
const programFor = async (of) => (await caches.open(program)).match(of, { ignoreVary: true });

/**
 * answer returns what the server answers, or what is kept when it is silent.
 * @param {Request} request @param {() => Promise<Response | undefined>} kept
 */
async function answer(request, kept) {
  const live = fetch(request);
  try {
    return await Promise.race([live, new Promise((_, late) => setTimeout(late, patience))]);
  } catch {
    if (request.signal.aborted) return live;
    const found = await kept();
    if (found) {
      tell();
      return found;
    }
  }
  return live;
}

/** tile is answer for a tile: the map draws one that is missing from those above. @param {Request} request */
const tile = (request) =>
  answer(request, () => keptFor(new URL(request.url))).catch((e) => {
    if (request.signal.aborted) throw e;
    tell();
    return new Response(null, { status: 404 });
  });

worker.addEventListener('install', (/** @type {any} */ e) => e.waitUntil(install()));
worker.addEventListener('activate', (/** @type {any} */ e) => e.waitUntil(activate()));
worker.addEventListener('fetch', (/** @type {any} */ e) => {
  const { request } = e,
    { origin, pathname } = new URL(request.url);
  // what is asked for to be kept comes from the server alone
  if (request.method !== 'GET' || origin !== location.origin || request.cache === 'reload') return;
  const path = pathname.startsWith(build.base) ? pathname.slice(build.base.length) : '/';
  if (request.mode === 'navigate') {
    if (path === '' || path === 'map') e.respondWith(answer(request, () => programFor(build.base)));
  } else if (path.startsWith('map/a/')) e.respondWith(programFor(request).then((found) => found ?? fetch(request)));
  else if (path.startsWith('map/tiles/')) e.respondWith(tile(request));
  else if (path === 'theme.css') e.respondWith(answer(request, () => programFor(request)));
});
