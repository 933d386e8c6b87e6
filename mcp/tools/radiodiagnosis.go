package tools

import "relais/radio"

type radioDiagnoseParams struct {
	siteParams
	operatorParams
	RadiusKm float64 `param:"radiusKm" default:"1" above:"0" max:"5" doc:"How far from the site a measurement is near it, in kilometres."`
	Limit    int     `param:"limit" default:"10" min:"1" max:"20" doc:"Most base stations of an operator, and most clashes, to list."`
}

// A Diagnosis compares a site as declared and as measured.
type Diagnosis struct {
	Site       Site                `json:"site"`
	Near       Looked              `json:"measuresNear" doc:"The measurements of the market in whose places the circle lies were looked at; those in the circle count as near."`
	Operators  []OperatorDiagnosis `json:"operators"`
	Collisions Collisions          `json:"pciClashes"`
	Notes      []string            `json:"notes" doc:"What to bear in mind; say so when you repeat a finding."`
	Sourced
}

// An OperatorDiagnosis is that of one operator on the site.
type OperatorDiagnosis struct {
	Operator   string                `json:"operator"`
	Nodes      []DiagnosedNode       `json:"nodes" doc:"Base stations assigned to the site (at most 16 of an operator), then others that measurements near it name; of each kind, those that most measurements name come first."`
	AllNodes   int                   `json:"nodesTotal" doc:"Base stations to list; nodes has the first of them."`
	Generation []DiagnosedGeneration `json:"generations"`
	Unmeasured []string              `json:"declaredNeverMeasured" doc:"Generations in operation that no measurement near the site has and no measurement of the site's base stations."`
	Undeclared []string              `json:"measuredNotDeclared" doc:"Generations of measurements that name the site's base stations, where the register neither declares them in operation nor leaves that open."`
	MaybeOther []string              `json:"measuredNearNotDeclared" doc:"Generations that the register does not declare, nor leaves open, that were measured near the site and may be of a neighbour."`
}

// A DiagnosedNode is a base station, or a cell whose base station is not known.
type DiagnosedNode struct {
	Type  string         `json:"type" doc:"enb, gnb, or cell for an NCI or ECI whose base station is not known."`
	Value string         `json:"value"`
	Given radio.Assigner `json:"givenBy" doc:"source: a source gives it to this site; measures: it was learned for this site from where it was measured; perhaps: it may be of a gNB of this site, whose length no source states; elsewhere: it is another site's; nobody: nothing says whose it is."`
	Sites []string       `json:"otherSites" doc:"siteKeys of other sites that it is given to, at most three."`
	All   int            `json:"measures" doc:"Measurements that name it, wherever they were made; all are counted."`
	Near  int            `json:"measuresNear" doc:"Of those that were looked at near the site."`
	Last  *string        `json:"lastMeasured" doc:"The newest day of those that were looked at, YYYY-MM-DD, UTC."`
	PCIs  []int          `json:"pcis" doc:"Physical cell ids of those that were looked at, at most twelve."`
}

// A DiagnosedGeneration is a generation as declared and as measured.
type DiagnosedGeneration struct {
	Generation string            `json:"generation"`
	Declared   radio.Declaration `json:"declared" doc:"inOperation: an emission is not only a project (in registers without statuses: there is one); project; no; notStated: of an emission of the operator the register states no generation, and of no other this one."`
	Systems    []string          `json:"systems" doc:"As published."`
	Naming     int               `json:"measuresNaming" doc:"Measurements that name an eNB (4G) or gNB (5G) of the site, or a cell that is given to it, each once in a generation; where a cell has more measurements than are looked at, its part is that of an even sample. Of 2G and 3G measurements name none."`
	Near       int               `json:"measuresNear" doc:"Measurements in it that were looked at near the site, whichever site served them."`
}

// maxOtherSites is how many other sites of a base station are named.
const maxOtherSites = 3

// Shorten halves the lists.
func (d *Diagnosis) Shorten() (shorter bool) {
	half := func(n int) int {
		shorter = shorter || n > 1
		return (n + 1) / 2
	}
	for i := range d.Operators {
		o := &d.Operators[i]
		o.Nodes = o.Nodes[:half(len(o.Nodes))]
	}
	d.Collisions.List = d.Collisions.List[:half(len(d.Collisions.List))]
	return shorter
}
