// Layers that are shown on demand over the sites: outages, the changes of the newest edition,
// coverage points and speedtests. Each is a source of GeoJSON that this module fills.
import { fonts } from './style.mjs';

// Five steps of the scale cividis, which people see alike with every kind of colour vision; the
// limits are dBm.
export const signal = [
  { from: -200, color: '#00204d', label: '< −115 dBm' },
  { from: -115, color: '#414d6b', label: '−115 … −105' },
  { from: -105, color: '#7c7b78', label: '−105 … −95' },
  { from: -95, color: '#b9ac70', label: '−95 … −85' },
  { from: -85, color: '#ffea46', label: '≥ −85 dBm' },
];

// Megabits a second.
export const speeds = [
  { from: 0, color: '#00204d', label: '< 10 Mbit/s' },
  { from: 10, color: '#414d6b', label: '10 … 50' },
  { from: 50, color: '#7c7b78', label: '50 … 150' },
  { from: 150, color: '#b9ac70', label: '150 … 400' },
  { from: 400, color: '#ffea46', label: '≥ 400 Mbit/s' },
];

const step = (value, steps) => ['step', value, steps[0].color, ...steps.slice(1).flatMap((s) => [s.from, s.color])];

const point = (lng, lat, properties) => ({ type: 'Feature', geometry: { type: 'Point', coordinates: [lng, lat] }, properties });

async function ask(path, query) {
  const answer = await fetch('/map' + path + '?' + new URLSearchParams(query));
  if (!answer.ok) throw new Error(path + ': ' + answer.status);
  return answer.json();
}

function boxOf(map) {
  const b = map.getBounds();
  return [Math.max(b.getWest(), -180), Math.max(b.getSouth(), -90), Math.min(b.getEast(), 180), Math.min(b.getNorth(), 90)].map((v) => v.toFixed(5)).join(',');
}

// Bits of what the newest edition changed on a site.
const kinds = ['new', 'added', 'activated', 'deleted'];

export const overlays = {
  outages: {
    serves: () => true,
    async load(market) {
      const list = [];
      for (let offset = 0; list.length < 3000;) {
        const { data, meta } = await ask('/outages', { market: market.code, limit: '500', offset: String(offset) });
        list.push(...data);
        if (!meta.hasMore) break;
        offset = meta.nextOffset;
      }
      return list.map((o) => point(o.longitude, o.latitude, { down: o.severity === 'down' ? 1 : 0, operator: o.operatorKey, since: o.startedAt, until: o.expectedEndAt ?? '', reason: o.reason ?? '', source: o.source }));
    },
    layers: (source) => [{
      id: source, type: 'symbol', source,
      layout: { 'icon-image': ['case', ['==', ['get', 'down'], 1], 'outage', 'degraded'], 'icon-allow-overlap': true, 'icon-size': ['interpolate', ['linear'], ['zoom'], 5, 0.5, 12, 0.9], 'icon-offset': [14, -14] },
    }],
  },
  week: {
    serves: (market) => market.code === 'FR' || market.code === 'DROM',
    async load(market) {
      const { meta } = await ask('/anfr/archives', {});
      if (!meta.current) return [];
      const { data } = await ask('/anfr/archive/' + meta.current, {});
      return Object.values(data).map(({ info, antennas }) => {
        const has = kinds.filter((k) => antennas.some((a) => a.type === k));
        return point(Number(info.lon), Number(info.lat), { key: market.code.toLowerCase() + '-' + info.sup_id, kind: has[0] ?? '', n: antennas.length });
      }).filter((f) => inside(market.bounds, f.geometry.coordinates));
    },
    layers: (source) => [{
      id: source, type: 'circle', source,
      paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'], 5, 3, 12, 9], 'circle-color': 'transparent', 'circle-stroke-width': 2.5, 'circle-stroke-color': ['match', ['get', 'kind'], 'new', '#7a3db8', 'added', '#7a3db8', 'activated', '#1a7f37', '#6b6b6b'] },
    }],
  },
  coverage: {
    serves: () => true,
    moves: 10.5,
    async load(market, map) {
      const { data } = await ask('/coverage/points', { market: market.code, bbox: boxOf(map), limit: '5000', days: '365' });
      return data.map((p) => point(p.coordinates.lng, p.coordinates.lat, { rsrp: p.rsrp ?? -999, cell: String(p.radio?.cellId ?? ''), technology: p.technology ?? '', at: p.timestamp }));
    },
    layers: (source) => [{
      id: source, type: 'circle', source,
      paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'], 10, 2.5, 16, 6], 'circle-color': step(['get', 'rsrp'], signal), 'circle-stroke-width': 0.5, 'circle-stroke-color': '#ffffff' },
    }],
  },
  speedtests: {
    serves: () => true,
    moves: 8.5,
    async load(market, map) {
      const { data } = await ask('/speedtests', { market: market.code, bbox: boxOf(map), limit: '1000', days: '365' });
      return data.map((t) => point(t.coordinates.lng, t.coordinates.lat, { mbps: t.downloadSpeed ?? 0, ping: t.ping ?? '', at: t.timestamp }));
    },
    layers: (source) => [{
      id: source, type: 'circle', source,
      paint: { 'circle-radius': ['interpolate', ['linear'], ['zoom'], 8, 4, 16, 8], 'circle-color': step(['get', 'mbps'], speeds), 'circle-stroke-width': 1.5, 'circle-stroke-color': '#37403d' },
    }, {
      id: source + '-text', type: 'symbol', source, minzoom: 13,
      layout: { 'text-field': ['concat', ['to-string', ['round', ['get', 'mbps']]], ' Mbit/s'], 'text-font': fonts, 'text-size': 11, 'text-offset': [0, 1.2] },
      paint: { 'text-color': '#37403d', 'text-halo-color': '#ffffff', 'text-halo-width': 1.2 },
    }],
  },
};

const inside = ([w, s, e, n], [x, y]) => x >= w && x <= e && y >= s && y <= n;

// refresh shows the chosen layers of a market and hides the others. Errors come back as a text.
export async function refresh(map, market, chosen) {
  let failed = '';
  await Promise.all(Object.entries(overlays).map(async ([name, o]) => {
    const source = 'over-' + name, show = chosen.includes(name) && o.serves(market);
    if (!map.getSource(source)) {
      if (!show) return;
      map.addSource(source, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
      for (const layer of o.layers(source)) map.addLayer(layer);
    }
    for (const layer of o.layers(source)) map.setLayoutProperty(layer.id, 'visibility', show ? 'visible' : 'none');
    if (!show) return;
    try {
      const features = o.moves && map.getZoom() < o.moves ? [] : await o.load(market, map);
      map.getSource(source)?.setData({ type: 'FeatureCollection', features });
    } catch {
      failed = name;
    }
  }));
  return failed;
}
