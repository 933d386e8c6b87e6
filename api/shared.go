package api

import (
	"context"
	"fmt"

	"relais/api/endpoint"
	"relais/api/view"
	"relais/archive/change"
	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
)

// Parameters that other transports share with these operations.
type (
	MarketParams = singleMarketParams
	Operator     = operatorName
	AreaParams   = areaParams
	ArchiveDate  = archiveDate
	RadioParams  = radioParams
	Technology   = technologyName
)

// A ChangesQuestion is a question of other transports to /changes.
type ChangesQuestion struct {
	MarketParams
	Since, Until ArchiveDate
	Net          bool
	Kind         view.ChangeKind // "" for any
	Generation   *site.Generation
	Technology   string
	Areas        []string // codes, nil for any
	Disc         *geo.Disc
	Limit        int
	Offset       int
}

// Changes returns a page of the changes of /changes.
func (r *Env) Changes(ctx context.Context, q ChangesQuestion) (*ChangesBody, error) {
	p := changesParams{marketParams: q.asLists(), Since: q.Since, Until: q.Until, Net: q.Net, Limit: q.Limit,
		Offset: q.Offset, csvParams: csvParams{Separator: comma}}
	var kind change.Kind
	if kind.UnmarshalText([]byte(q.Kind)) == nil {
		p.Kind = []change.Kind{kind}
	}
	if q.Technology != "" {
		p.Technology = []string{q.Technology}
	}
	if q.Generation != nil {
		p.Generation = []site.Generation{*q.Generation}
	}
	if d := q.Disc; d != nil {
		km := d.Radius / 1000
		p.Lat, p.Lon, p.RadiusKm = &d.Center.Lat, &d.Center.Lng, &km
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return r.changesPage(ctx, &p, q.Areas)
}

// Position returns the position of the operator in the market's table, index.Any for ALL.
func (o operatorName) Position(m *market.Market) (int, error) { return o.position(m) }

// Positions returns the positions of the operators that the text names, with commas between them, nil for ALL.
func (o operatorName) Positions(m *market.Market) (index.Choice, error) { return o.list().positions(m) }

// Names returns the names of the operators, nil for ALL.
func (o operatorName) Names() []string { return o.list().texts() }

// PublicMessage returns the message of an operation's error for the caller, and the cause
// for the log, which may be nil.
func PublicMessage(err error) (message string, cause error) {
	e := PublicError(&endpoint.Op[*Env]{}, err)
	if e.Status >= 500 && e.Code != codeNotReady && e.Code != codeBusy && e.Code != codeNotWritable {
		return "an internal error: the server's log has it", fmt.Errorf("%s: %w", e.Message, err)
	}
	return e.Message, nil
}

// Code returns the code of the area in the market, "" for any.
func (p areaParams) Code(m *market.Market) (string, error) { return p.code(m) }

// NotFound returns the error of something that does not exist.
func NotFound(message string) *Error {
	return &Error{Status: 404, Code: codeNotFound, Message: message}
}
