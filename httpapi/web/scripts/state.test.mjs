// Run by node --test: what the scripts of the map compute without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { angle, bearing, compass, distance, nearest } from '../static/geo.mjs';
import { filtersOf, format, none, parse, serves } from '../static/state.mjs';

const state = (query) => parse('?' + new URLSearchParams(query));

test('a link opens what its sender saw', () => {
  const sent = state({
    operator: 'SFR,FREE',
    generation: '5G',
    band: '700,3500',
    status: 'En service',
    changed: '1',
    layers: 'outages,official,week',
    site: 'fr-23444',
    from: '48.85,2.35',
    at: '-12.5,45.25',
  });
  assert.deepEqual(sent.operators, ['SFR', 'FREE']);
  assert.deepEqual(sent.from, { lat: 48.85, lng: 2.35 });
  assert.deepEqual(sent.at, { lat: -12.5, lng: 45.25 });
  assert.deepEqual(parse('?' + format(sent, '?lang=fr&utm=x')), sent);
  assert.match(format(sent, '?lang=fr&utm=x'), /^lang=fr&operator=SFR,FREE&/);
});

test('what no page wrote is left out', () => {
  const empty = parse('');
  for (const query of [
    { operator: '<script>,"\u202e' },
    { band: '9'.repeat(50) },
    { layers: '__proto__,constructor' },
    { site: 'fr-"><script>' },
    { site: 'fr-' + 'x'.repeat(200) },
    { site: '../etc' },
    { status: '\u0000' },
    { from: '999,999' },
    { from: 'NaN,NaN' },
    { from: '1e3,1' },
    { at: '1,2,3' },
    { together: 'yes' },
    { site: 'fr-1', x: 'y'.repeat(10000) },
  ])
    assert.deepEqual(state(query), empty, JSON.stringify(query).slice(0, 60));
  assert.equal(state({ operator: Array.from({ length: 100 }, (_, i) => 'A' + i).join(',') }).operators.length, 30);
});

const market = {
  code: 'FR',
  date: '2026-03-01',
  bands: ['700'],
  statuses: ['En service'],
  operators: [{ key: 'SFR' }],
  changes: true,
};

test('a market gets the filters that it has', () => {
  const all = {
    ...parse(''),
    operators: ['SFR', 'BELL'],
    bands: ['700', '3500'],
    status: 'Other',
    together: true,
    changed: true,
  };
  assert.deepEqual(filtersOf(market, all), {
    operator: 'SFR',
    band: '700',
    together: 'true',
    changedSince: '2026-02-28',
  });
  assert.ok(serves(market, { ...all, status: '', together: false }));
  // no site has all of them where the market lacks one
  for (const lacking of [{ operators: ['SFR', 'BELL'] }, { bands: ['700', '3500'] }])
    assert.ok(!serves(market, { ...parse(''), ...lacking, together: true }), JSON.stringify(lacking));
  assert.ok(serves(market, { ...parse(''), operators: ['SFR'], bands: ['700'], together: true }));
  assert.ok(!serves(market, { ...parse(''), operators: ['BELL'] }));
  assert.ok(!serves({ ...market, changes: false }, { ...parse(''), changed: true }));
  assert.ok(serves(market, { ...all, ...none }));
});

test('distances and directions', () => {
  // Vincenty's example: Flinders Peak and Buninyong, 54,972 m apart on the ellipsoid at 306.87°
  const a = { lat: -37.95103342, lng: 144.42486789 },
    b = { lat: -37.65282114, lng: 143.92649553 };
  assert.ok(Math.abs(distance(a, b) / 54972 - 1) < 0.005, String(distance(a, b)));
  assert.ok(angle(bearing(a, b), 306.87) < 0.3, String(bearing(a, b)));
  assert.equal(angle(350, 10), 20);
  assert.equal(angle(10, 350), 20);
  assert.deepEqual(nearest([0, 120, 240], 350), { azimuth: 0, off: 10 });
  assert.equal(nearest([], 5), null);
  assert.equal(compass(350, { compassPoints: 'N NE E SE S SW W NW' }), 'N');
});

test('the layer of changes says when it has not all of them', async () => {
  const market = /** @type {any} */ ({ code: 'FR', date: '2026-08-27' }),
    app = /** @type {any} */ ({ words: { lang: 'en', partOfChanges: '%s of %s' } });
  const light = { matches: false, addEventListener() {} };
  Object.assign(globalThis, { location: { origin: 'http://relais.test' }, matchMedia: () => light });
  const { overlays } = await import('../static/overlays.mjs');
  for (const [total, asked, note] of [
    [0, 1, ''],
    [5000, 1, ''],
    [40000, 8, ''],
    [40001, 8, '40,000 of 40,001'],
  ]) {
    let requests = 0;
    globalThis.fetch = async (url) => {
      const q = new URL(String(url)).searchParams,
        offset = Number(q.get('offset')),
        end = Math.min(offset + 5000, Number(total));
      requests++;
      assert.equal(q.get('until'), '2026-08-27');
      const data = Array.from({ length: end - offset }, (_, i) => ({
        kind: 'system-added',
        site: { id: String((offset + i) >> 1), siteKey: '', coordinates: { lat: 48, lng: 2 } }, // two of each site
      }));
      const meta = { hasMore: end < Number(total), nextOffset: end, totalMatched: total };
      return Response.json({ data, meta });
    };
    const got = await overlays.week.load(market, app);
    const sites = Math.min(Number(total), 40000) / 2;
    assert.deepEqual([got.features.length, requests, got.note], [sites, asked, note]);
  }
});
