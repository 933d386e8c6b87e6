// The state of the map is in the address: filters and the chosen site in the query, the place in
// the hash (by MapLibre). A link opens what its sender saw.

const names = ['operator', 'generation', 'band', 'status', 'layers', 'site', 'lang'];

// read returns the state of the address. Lists are arrays.
export function read() {
  const query = new URLSearchParams(location.search);
  const list = (name) => (query.get(name) ?? '').split(',').filter((v) => v !== '').slice(0, 30);
  return {
    operators: list('operator'), generations: list('generation'), band: query.get('band') ?? '',
    status: query.get('status') ?? '', layers: list('layers'), site: (query.get('site') ?? '').slice(0, 128),
  };
}

// write puts the state into the address. A chosen site is a new entry of the history, so that
// "back" closes it.
export function write(state, push = false) {
  const query = new URLSearchParams(location.search);
  const values = {
    operator: state.operators.join(','), generation: state.generations.join(','), band: state.band,
    status: state.status, layers: state.layers.join(','), site: state.site,
  };
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  for (const name of [...query.keys()]) if (!names.includes(name)) query.delete(name);
  const text = query.toString().replaceAll('%2C', ',');
  const address = location.pathname + (text ? '?' + text : '') + location.hash;
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}
