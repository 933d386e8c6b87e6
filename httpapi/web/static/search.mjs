// Search: coordinates, identifiers, places and sites. The form itself leads to /search without
// scripts.
import { node } from './filters.mjs';

// coordinates parses "48.85, 2.35" and "48,85 2,35".
export function coordinates(text) {
  const m = /^\s*(-?\d{1,2}[.,]\d+)\s*[°]?\s*[,; ]\s*(-?\d{1,3}[.,]\d+)\s*[°]?\s*$/.exec(text);
  if (!m) return null;
  const [lat, lng] = [m[1], m[2]].map((v) => Number(v.replace(',', '.')));
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : null;
}

async function ask(markets, text, signal) {
  const found = await Promise.all(markets.map(async (m) => {
    const query = new URLSearchParams({ market: m.code, q: text, limit: '6' });
    const answer = await fetch('/map/antennas/search?' + query, { signal });
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()).data;
  }));
  return found.flat().slice(0, 12);
}

export function attach(form, markets, words, go) {
  const input = form.querySelector('input'), list = form.querySelector('ol');
  let results = [], chosen = -1, timer = 0, running = new AbortController();
  const close = () => { list.hidden = true; input.setAttribute('aria-expanded', 'false'); chosen = -1; };
  const choose = (i) => { close(); if (results[i]) go(results[i]); };
  const show = (entries, notice) => {
    results = entries;
    list.replaceChildren(...entries.map((r, i) => {
      const item = node('li', { id: 'result-' + i }, r.title, node('span', { className: 'quiet', textContent: r.note }));
      item.setAttribute('role', 'option');
      item.addEventListener('pointerdown', (e) => { e.preventDefault(); choose(i); });
      return item;
    }));
    if (notice) list.replaceChildren(node('li', { textContent: notice }));
    list.setAttribute('role', 'listbox');
    list.hidden = entries.length === 0 && !notice;
    input.setAttribute('aria-expanded', String(!list.hidden));
  };
  const search = async () => {
    running.abort();
    running = new AbortController();
    const text = input.value.trim(), at = coordinates(text);
    if (at) { show([{ title: `${at.lat}, ${at.lng}`, note: words.position, ...at }]); return; }
    if (text.length < 2) { show([]); return; }
    try {
      const sites = await ask(markets(), text, running.signal);
      show(sites.map((s) => ({ key: s.siteKey, lat: s.coordinates.lat, lng: s.coordinates.lng,
        title: [s.location.commune ?? s.siteKey, s.operators.join(', ')].join(' · '),
        note: [s.location.address, s.location.postalCode, s.siteKey].filter(Boolean).join(', ') })), sites.length ? '' : words.searchNothing);
    } catch (e) {
      if (e.name !== 'AbortError') show([], words.searchFailed);
    }
  };
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(search, 200); });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') close();
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp' || results.length === 0) return;
    e.preventDefault();
    chosen = (chosen + (e.key === 'ArrowDown' ? 1 : results.length - 1 + (chosen < 0 ? 1 : 0))) % results.length;
    [...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
    input.setAttribute('aria-activedescendant', 'result-' + chosen);
  });
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    clearTimeout(timer);
    if (chosen < 0) await search();
    if (results.length > 0) choose(Math.max(chosen, 0));
  });
}
