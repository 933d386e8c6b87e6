package anfr

import (
	"bytes"
	"cmp"
	"slices"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/market"
	"relais/site"
)

// Columns of the radio identifiers, a table without a header.
const (
	nodeTech = iota
	nodeMCC
	nodeMNC
	nodeFlag
	_
	nodeNumber
	nodeSupport
	nodeLat
	nodeLng
)

var nodeColumns = []table.Column{
	{Name: "tech", Required: true}, {Name: "mcc", Required: true}, {Name: "mnc", Required: true}, {Name: "flag"},
	{Name: "tac"},
	{Name: "node", Required: true}, {Name: "sup_id", Required: true}, {Name: "lat"}, {Name: "lon"}, {Name: "address"},
}

// isRadioNode recognizes the table by a record. An export of NetMonster that lost a column
// has as many fields, but a cell number in place of the flag, or other columns after it.
func isRadioNode(t *table.Reader) bool {
	tech, support := t.Field(nodeTech), t.Field(nodeSupport)
	_, number := parseWhole(bytes.TrimPrefix(support, []byte("-"))) // -1: no support
	return t.Whole() && len(tech) == 2 && tech[1] == 'G' && len(t.Field(nodeMCC)) == 3 && len(t.Field(nodeFlag)) <= 1 &&
		(number || len(support) == 0) && isDecimal(t.Field(nodeLat)) && isDecimal(t.Field(nodeLng))
}

// isDecimal reports whether a field is a number with a point.
func isDecimal(b []byte) bool {
	return bytes.Count(b, []byte(".")) == 1 && len(bytes.Trim(b, "-.0123456789")) == 0
}

// A node is a base station's identifier on a support.
type node struct {
	support  uint32
	kind     site.RadioKind
	operator uint8
	value    uint32
}

// nodeRow adds a base station that names its support. The first line of such a file is a
// sentinel of the network 999-99.
func (c *country) nodeRow(r *source.Reader) string {
	mcc, mnc := r.Field(nodeMCC), r.Field(nodeMNC)
	if string(mcc) == "999" {
		return sentinel
	}
	if string(r.Field(nodeSupport)) == "-1" {
		return noSupport
	}
	at, reason := c.findSupport(r.Field(nodeSupport))
	if reason != "" {
		return reason
	}
	n := node{support: at}
	switch string(r.Field(nodeTech)) {
	case "4G":
		n.kind = site.ENB
	case "5G":
		n.kind = site.GNB
	default:
		return otherNode
	}
	value, ok := parseWhole(r.Field(nodeNumber))
	if !ok || value == 0 || uint64(value) > n.kind.Max() {
		return "node number out of range"
	}
	n.value = value
	key := market.ByPLMN(string(mcc) + string(padZeros(mnc, 2)))
	if key == "" {
		return "unknown network"
	}
	target := c.support(at).target
	operator, ok := c.targets[target].market.Operator(key)
	if !ok || c.operatorsOn[at]&operatorBit(target, uint8(operator)) == 0 {
		return "operator not on the support"
	}
	n.operator = uint8(operator)
	c.nodes = append(c.nodes, n)
	return ""
}

// nodesDone sorts the nodes by support and removes duplicates.
func (c *country) nodesDone() error {
	slices.SortFunc(c.nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.support, b.support), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.operator, b.operator), cmp.Compare(a.value, b.value))
	})
	c.nodes = slices.Compact(c.nodes)
	return nil
}

// Columns of the curated file of Crozon leaders.
const (
	leaderSupport = iota
	leaderOperator
)

// leaderRow stores which of SFR and Bouygues operates the shared network of a support.
func (c *country) leaderRow(r *source.Reader) string {
	at, reason := c.findSupport(r.Field(leaderSupport))
	if reason != "" {
		return reason
	}
	target := c.support(at).target
	m := c.targets[target].market
	i, ok := m.Operator(string(r.Field(leaderOperator)))
	if !ok || operatorBit(target, uint8(i))&c.crozon == 0 {
		return "not an operator of the Crozon agreement"
	}
	c.leaders[at] = m.Operators[i].Key
	return ""
}
