// A MOBILE client with the types of openapi-typescript. Headers that every request
// brings are a middleware's matter, as that library has it.
import createClient from 'openapi-fetch';
import type { paths } from './generated/api';
import { setting, signature, type Without } from './signing';

function connect(without?: Without) {
  // Without the second type a list could be GeoJSON or CSV.
  const client = createClient<paths, 'application/json'>({ baseUrl: setting('BASE') });
  client.use({
    async onRequest({ request }) {
      const body = new Uint8Array(await request.clone().arrayBuffer());
      request.headers.set('Authorization', `Bearer ${setting('KEY')}`);
      request.headers.set('X-Sq-Signature', signature(request.method, request.url, body));
      request.headers.set('X-Device-Attestation', setting('ATTESTATION'));
      if (without) request.headers.delete(without);
      return request;
    },
  });
  return client;
}

async function main() {
  const client = connect();
  const query = { market: 'FR', limit: 2 } as const;
  const first = await client.GET('/antennas', { params: { query } });
  const etag = first.response.headers.get('ETag') ?? '';
  const again = await client.GET('/antennas', { params: { query, header: { 'If-None-Match': etag } } });
  const report = await client.POST('/photos/{photoId}/report', {
    params: { path: { photoId: setting('PHOTO') }, header: { 'X-Request-Id': 'openapi-fetch' } },
    body: { reason: 'privacy', description: 'floue, à refaire' },
  });
  const cells = await client.POST('/antennas/lookup', {
    body: { cells: [{ mcc: 208, mnc: 1, enb: '1' }, { pci: 'x' }] },
  });
  const unsigned = await connect('X-Sq-Signature').GET('/antennas', { params: { query } });
  const unattested = await connect('X-Device-Attestation').GET('/antennas', { params: { query } });
  console.log(JSON.stringify({
    read: first.response.status,
    sites: first.data?.data.length,
    again: again.response.status,
    report: report.response.status,
    cells: cells.data?.data.map((c) => c.error?.code ?? c.total),
    requestId: report.data?.requestId,
    unsigned: unsigned.error?.code,
    unattested: unattested.error?.code,
  }));
}

main();
