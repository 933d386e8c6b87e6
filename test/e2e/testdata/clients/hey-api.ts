// A MOBILE client that hey-api has generated. It sends the headers of the security
// schemes that the document has, and no others.
import { antennasCells, antennasList, photosReport } from './generated/hey';
import { client } from './generated/hey/client.gen';
import { setting, signature, type Without } from './signing';

function auth(method: string, path: string, body: string, without?: Without) {
  const headers: Record<string, string> = {
    'X-Sq-Signature': signature(method, client.getConfig().baseUrl + path, body),
    'X-Device-Attestation': setting('ATTESTATION'),
  };
  return (scheme: { scheme?: string; name?: string }) => {
    if (scheme.scheme === 'bearer') return setting('KEY');
    return scheme.name && scheme.name !== without ? headers[scheme.name] : undefined;
  };
}

async function main() {
  const query = { market: 'FR', limit: 2 } as const;
  const read = (without?: Without) => ({ query, auth: auth('GET', '/antennas', '', without) });
  const first = await antennasList(read());
  const etag = first.response?.headers.get('ETag') ?? '';
  const again = await antennasList({ ...read(), headers: { 'If-None-Match': etag } });
  const photoId = setting('PHOTO');
  const body = { reason: 'quality', description: 'floue, à refaire' } as const;
  const report = await photosReport({
    path: { photoId },
    body,
    headers: { 'X-Request-Id': 'hey-api' },
    auth: auth('POST', `/photos/${photoId}/report`, JSON.stringify(body)),
  });
  const asked = { cells: [{ mcc: 208, mnc: 1, enb: '1' }, { pci: 'x' }] };
  const cells = await antennasCells({ body: asked, auth: auth('POST', '/antennas/lookup', JSON.stringify(asked)) });
  const unsigned = await antennasList(read('X-Sq-Signature'));
  const unattested = await antennasList(read('X-Device-Attestation'));
  console.log(JSON.stringify({
    read: first.response?.status,
    sites: first.data?.data.length,
    again: again.response?.status,
    report: report.response?.status,
    cells: cells.data?.data.map((c) => c.error?.code ?? c.total),
    requestId: report.data?.requestId,
    unsigned: unsigned.error?.code,
    unattested: unattested.error?.code,
  }));
}

main();
