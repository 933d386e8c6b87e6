package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/catalog"
	"relais/index"
	"relais/market"
	"relais/site"
)

var lookupAntennas = endpoint.New(endpoint.Decl{
	Name: "antennas.lookup", Path: "/antennas/lookup-by-radio", Scope: "antennas:read", FailureName: "ANTENNAS_LOOKUP",
	Example: endpoint.Request{Target: "/antennas/lookup-by-radio?enb=100007&limit=1"},
	MaxAge:  60, DependsOn: []string{catalog.Learned},
	Summary:    "Sites that a radio identifier names.",
	Doc:        "An eNB is the ECI without its last 8 bits; a gNB is the NCI without its last 4 to 14. One value may name several sites: all are answered, those that a source gives it to before those for which it was learned from measurements, and of each those that it certainly names first. A gNB whose length the data does not state is tried with every length.",
	ErrorCodes: []string{codeMissingRadio, codeInvalidOperator},
	Shapes:     shapes[[]view.LookupResult, view.LookupMeta](),
}, (*Env).lookup)

type lookupParams struct {
	radioParams
	Limit int `param:"limit" default:"20" min:"1" max:"100" doc:"Most sites to answer."`
}

// radioParams are a radio identifier of a market's operators.
type radioParams struct {
	Value  string     `param:"value" max:"40" doc:"The identifier, decimal. enb, gnb, pci, cellId and ci are its aliases and say the type too." example:"1009"`
	ENB    string     `param:"enb" max:"40" doc:"value, of type enb."`
	GNB    string     `param:"gnb" max:"40" doc:"value, of type gnb."`
	PCI    string     `param:"pci" max:"40" doc:"value, of type pci."`
	CellID string     `param:"cellId" max:"40" doc:"value, of type cellid."`
	CI     string     `param:"ci" max:"40" doc:"value, of type ci."`
	Type   lookupType `param:"type" default:"auto" doc:"What the value is; auto tries all."`
	marketParams
}

// A lookupType is a type of radio identifier, or auto.
type lookupType string

const lookupAuto lookupType = "auto"

// Values lists the types.
func (lookupType) Values() []string {
	list := []string{string(lookupAuto)}
	for _, t := range index.RadioTypes {
		list = append(list, string(t))
	}
	return list
}

// valueAndType returns the value, the parameter that had it, and the type.
func (p *radioParams) valueAndType() (name, value string, t lookupType, err error) {
	t = p.Type
	for _, a := range []struct {
		name, value string
		t           lookupType
	}{
		{"value", p.Value, p.Type}, {"enb", p.ENB, "enb"}, {"gnb", p.GNB, "gnb"}, {"pci", p.PCI, "pci"},
		{"cellId", p.CellID, "cellid"}, {"ci", p.CI, "ci"},
	} {
		if a.value == "" {
			continue
		}
		if value != "" {
			return "", "", t, &endpoint.ParamError{Param: a.name, Value: a.value,
				Want: name + " is given too; give one of them"}
		}
		name, value = a.name, a.value
		if p.Type == lookupAuto {
			t = a.t
		}
	}
	if value == "" {
		return "", "", t, &Error{Status: 400, Code: codeMissingRadio, Parameter: "value",
			Message: "value: missing; give value, enb, gnb, pci, cellId or ci"}
	}
	return name, value, t, nil
}

// Check holds the rules over several parameters.
func (p *radioParams) Check() error {
	_, _, err := p.number()
	return err
}

// number returns the value as a number that fits its type.
func (p *radioParams) number() (uint64, lookupType, error) {
	name, value, t, err := p.valueAndType()
	if err != nil {
		return 0, t, err
	}
	most := map[lookupType]site.RadioKind{"enb": site.ENB, "gnb": site.GNB, "pci": site.PCI}
	kind, ok := most[t]
	if !ok {
		kind = site.Cell
	}
	n, err := strconv.ParseUint(value, 10, 64)
	if err != nil || n > kind.Max() {
		return 0, t, &endpoint.ParamError{Param: name, Value: value,
			Want: fmt.Sprintf("a whole number from 0 to %d", kind.Max())}
	}
	return n, t, nil
}

// question returns the question that the parameters ask.
func (p *radioParams) question() (catalog.Radio, error) {
	q := catalog.Radio{Market: market.Get(p.Market), Types: index.RadioTypes}
	var err error
	if q.Operators, err = p.Operator.Positions(q.Market); err != nil {
		return q, err
	}
	t := lookupAuto
	if q.Value, t, err = p.number(); t != lookupAuto {
		q.Types = []index.RadioType{index.RadioType(t)}
	}
	return q, err
}

// A lookupAnswer is the answer of lookup.
type lookupAnswer struct {
	view.Body[[]lookupResult, view.LookupMeta]
}

func (r *Env) lookup(_ context.Context, p *lookupParams) (*lookupAnswer, error) {
	found, err := r.LookupRadio(&p.radioParams)
	if err != nil {
		return nil, err
	}
	body := &lookupAnswer{}
	body.Meta = view.LookupMeta{Market: found.Market.Code, Operator: p.Operator.canonical(found.Market),
		Type: found.Type, Value: found.Value, SourceUnavailableReason: unavailableReason(found.Market)}
	if found.Register != nil {
		body.Meta.DataVersion = &found.Register.Snap.Version
	}
	body.Data = found.first(p.Limit)
	body.Meta.Returned = len(body.Data)
	return body, nil
}

// A RadioResult holds the sites that a radio identifier names.
type RadioResult struct {
	catalog.RadioFound
	Market      *market.Market
	Type, Value string // as asked
}

// LookupRadio finds the sites that a radio identifier names, the most certain first.
func (r *Env) LookupRadio(p *RadioParams) (*RadioResult, error) {
	q, err := p.question()
	if err != nil {
		return nil, err
	}
	found, err := r.Radio(q)
	if err != nil {
		return nil, err
	}
	t := lookupAuto
	if len(q.Types) == 1 {
		t = lookupType(q.Types[0])
	}
	return &RadioResult{found, q.Market, string(t), strconv.FormatUint(q.Value, 10)}, nil
}

// first returns the first matches as answers show them.
func (f *RadioResult) first(n int) []lookupResult {
	list := []lookupResult{}
	for _, match := range f.Matches[:min(n, len(f.Matches))] {
		fragment := f.Register.Fragment(match.Site)
		list = append(list, lookupResult{Site: json.RawMessage(fragment[:len(fragment)-1]), Matches: f.MatchViews(match)})
	}
	return list
}

// MatchViews returns the types of a match as answers show them.
func (f *RadioResult) MatchViews(m index.RadioMatch) []view.Match {
	list := make([]view.Match, len(m.Types))
	for i, t := range m.Types {
		list[i] = view.Match{Type: string(t), Value: f.Value}
	}
	return list
}

// A lookupResult is a view.LookupResult whose site is encoded already.
type lookupResult struct {
	Site    json.RawMessage `json:"site"`
	Matches []view.Match    `json:"matches"`
}
