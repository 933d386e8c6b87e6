// Cuts polygons along lines of a grid. MapLibre cuts what it draws by tiles, but joins the parts of a
// large polygon along the tile's edge, and its triangles then fill the sea. Small simple polygons
// leave it nothing to join.

// cutByGrid cuts a polygon, which is a list of closed rings with holes turning the other way, into
// polygons that lie in one cell of a grid each.
export function cutByGrid(rings, size) {
  let list = [rings];
  for (const axis of [0, 1]) {
    for (let at = -180; at < 180; at += size) list = list.flatMap((p) => cut(p, axis, at));
  }
  return list;
}

// cut cuts a polygon along the line where a coordinate has a value.
function cut(rings, axis, value) {
  const at = value + 1e-7; // no point lies on the line
  const over = (p) => p[axis] > at;
  const flat = rings.flat();
  if (flat.every(over) || !flat.some(over)) return [rings];
  const nodes = [], chains = [], whole = [[], []];
  for (const ring of rings) {
    const corners = ring.slice(1); // the first is the last
    const start = corners.findIndex((p, i) => over(p) !== over(corners.at(i - 1)));
    if (start < 0) { whole[Number(over(ring[0]))].push(ring); continue; }
    const turned = [...corners.slice(start), ...corners.slice(0, start)];
    const first = nodes.length;
    let chain = null;
    turned.forEach((p, i) => {
      const before = turned.at(i - 1);
      if (over(p) !== over(before)) {
        const t = (at - before[axis]) / (p[axis] - before[axis]), other = 1 - axis;
        const node = { along: before[other] + t * (p[other] - before[other]) };
        node.point = axis === 0 ? [value, node.along] : [node.along, value];
        if (chain) chain.end = node;
        nodes.push(node);
        chains.push(chain = { side: Number(over(p)), start: node, points: [node.point] });
      }
      chain.points.push(p);
    });
    chain.end = nodes[first];
  }
  return join(nodes, chains, whole) ?? [rings];
}

// join makes polygons of the chains on either side of a line. It returns null for a polygon that
// crosses itself.
function join(nodes, chains, whole) {
  nodes.sort((a, b) => a.along - b.along).forEach((n, i) => { n.partner = nodes[i ^ 1]; });
  const list = [];
  for (const side of [0, 1]) {
    const left = new Map(chains.filter((c) => c.side === side).map((c) => [c.start, c]));
    const polygons = [];
    while (left.size > 0) {
      const [first] = left.values(), ring = [];
      let c = first;
      do {
        if (!c || !left.delete(c.start)) return null;
        ring.push(...c.points, c.end.point);
        c = c.end.partner === first.start ? first : left.get(c.end.partner);
      } while (c !== first);
      polygons.push([[...ring, ring[0]]]);
    }
    for (const ring of whole[side]) {
      // a ring that the line leaves whole is a hole of the polygon around it
      const around = polygons.find(([outer]) => inside(outer, ring[0]));
      if (around) around.push(ring);
      else polygons.push([ring]);
    }
    list.push(...polygons);
  }
  return list;
}

function inside(ring, [x, y]) {
  let odd = false;
  for (let i = 0; i + 1 < ring.length; i++) {
    const [[x1, y1], [x2, y2]] = [ring[i], ring[i + 1]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) odd = !odd;
  }
  return odd;
}
