package view

import (
	"reflect"
	"strings"
	"time"

	"relais/community"
	"relais/market"
	"relais/outage"
)

// An OutageSource is the kind of source of an outage.
type OutageSource string

// The sources.
const (
	FromOperator  OutageSource = "operator"
	FromCommunity OutageSource = "community"
)

// Values lists the sources.
func (OutageSource) Values() []string { return []string{string(FromOperator), string(FromCommunity)} }

// An Outage is an outage that an operator publishes or that somebody reported.
type Outage struct {
	Source                 OutageSource    `json:"source" doc:"Who reports it. Entries of different sources are never merged."`
	ID                     string          `json:"id" doc:"Begins with operator: or community:."`
	MarketCode             market.Code     `json:"marketCode"`
	OperatorKey            string          `json:"operatorKey"`
	Latitude               float64         `json:"latitude" doc:"WGS84 degrees."`
	Longitude              float64         `json:"longitude" doc:"WGS84 degrees."`
	SiteKey                *string         `json:"siteKey" doc:"Of the register's site: of a report the one that it names; else the one that has the operator's code, else the operator's only one within 50 m. Null if that is not exactly one."`
	SiteName               string          `json:"siteName" doc:"What the source calls the site: the operator's code of it, or what the report says; may be empty."`
	Address                string          `json:"address" doc:"Empty when it is not known: operators publish none."`
	Commune                *string         `json:"commune"`
	Severity               outage.Severity `json:"severity" doc:"down when a service is out and none is OK, else degraded."`
	AffectedServices       []string        `json:"affectedServices" doc:"Of data, voice, sms."`
	AffectedTechnologies   []string        `json:"affectedTechnologies" doc:"Of 2g, 3g, 4g, 5g."`
	StartedAt              string          `json:"startedAt" doc:"ISO 8601, UTC; empty when the operator does not state it."`
	ExpectedEndAt          *string         `json:"expectedEndAt" doc:"ISO 8601, UTC."`
	Reason                 *string         `json:"reason"`
	State                  *string         `json:"state" doc:"Of a report: reported, or confirmed by three users. Null when the source is operator."`
	ConfirmCount           *int            `json:"confirmCount" doc:"Of a report: how many users confirmed it, with who submitted it as a tool's user. Null when the source is operator."`
	ConfirmationsRemaining *int            `json:"confirmationsRemaining" doc:"Of a report: how many are missing until it is confirmed. Null when the source is operator."`
	OperatorConfirmed      *bool           `json:"operatorConfirmed" doc:"Of a report: whether its operator publishes an outage within 300 m. Null when the source is operator."`
}

// NewOutage returns an outage at a site, whose key is nil if it is not known.
func NewOutage(o community.Outage, siteKey *string) Outage {
	if o.Entry != nil {
		return operatorOutage(o.Entry, siteKey)
	}
	r := o.Report
	state := string(r.State)
	return Outage{
		Source: FromCommunity, ID: r.ID, MarketCode: r.Market, OperatorKey: r.Operator, Latitude: r.Lat,
		Longitude: r.Lng, SiteKey: siteKey,
		SiteName: r.SiteName, Address: r.Address, Commune: OrNull(&r.Commune), Severity: r.Severity,
		AffectedServices: r.Services, AffectedTechnologies: r.Technologies, StartedAt: Moment(r.StartedAt),
		Reason: OrNull(&r.Reason),
		State:  &state, ConfirmCount: &r.Confirms, ConfirmationsRemaining: r.Remaining(),
		OperatorConfirmed: &r.OperatorConfirmed,
	}
}

func operatorOutage(e *outage.Entry, siteKey *string) Outage {
	services, technologies := e.Affected()
	return Outage{
		Source: FromOperator, ID: e.ID(), MarketCode: e.Market, OperatorKey: e.Operator, Latitude: e.Lat,
		Longitude: e.Lng, SiteKey: siteKey,
		SiteName: e.Code, Commune: OrNull(&e.Commune), Severity: e.Severity(), AffectedServices: services,
		AffectedTechnologies: technologies,
		StartedAt:            momentOrEmpty(e.Start), ExpectedEndAt: momentOrNull(e.End), Reason: OrNull(&e.Reason),
	}
}

// An OperatorFeed says whether the operators' files are known.
type OperatorFeed struct {
	Exists    bool `json:"exists" doc:"Whether operators of the market publish their unavailable sites."`
	Available bool `json:"available" doc:"Whether the files of all requested operators were read within 48 hours. While false, outages may be missing."`
}

// NewOperatorFeed returns the status of feeds as answers show it.
func NewOperatorFeed(s outage.FeedStatus) OperatorFeed { return OperatorFeed{s.Exists, s.Available} }

// OutagesMeta is the meta of /outages.
type OutagesMeta struct {
	Market                  market.Code  `json:"market"`
	Operator                string       `json:"operator"`
	Territory               *string      `json:"territory" doc:"The one that was asked for."`
	Count                   int          `json:"count" doc:"Entries in this answer."`
	Truncated               bool         `json:"truncated" doc:"Whether there are more than the limit."`
	OperatorFeed            OperatorFeed `json:"operatorFeed"`
	Offset                  int          `json:"offset"`
	HasMore                 bool         `json:"hasMore"`
	NextOffset              *int         `json:"nextOffset" doc:"offset of the next page; null on the last."`
	SourceUnavailableReason *string      `json:"sourceUnavailableReason" doc:"Why the market has no inventory; null when it has."`
	DataVersion             *string      `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// SiteServices are the statuses of a site's services.
type SiteServices struct {
	Voice2G outage.Status `json:"voice2g"`
	Voice3G outage.Status `json:"voice3g"`
	Voice4G outage.Status `json:"voice4g"`
	Data3G  outage.Status `json:"data3g"`
	Data4G  outage.Status `json:"data4g"`
	Data5G  outage.Status `json:"data5g"`
	Voice   outage.Status `json:"voice"`
	Data    outage.Status `json:"data"`
}

// An UnavailableSite is a site that its operator says is unavailable. MarshalJSON adds
// the two members whose names have the operator's.
type UnavailableSite struct {
	SourceID   string            `json:"sourceId" doc:"Names the operator's feed in its market."`
	Market     market.Code       `json:"market"`
	Operator   string            `json:"operator"`
	Territory  *string           `json:"territory" doc:"DROM: the territory; else null."`
	Code       string            `json:"code_site_op" doc:"The operator's code of the site; those of two operators may be the same."`
	Lat        float64           `json:"Lat" doc:"WGS84 degrees."`
	Lon        float64           `json:"Lon" doc:"WGS84 degrees."`
	SiteKey    *string           `json:"siteKey" doc:"Of the register's site: the one that has the operator's code, else the operator's only one within 50 m. Null if that is not exactly one."`
	Commune    string            `json:"commune"`
	Department string            `json:"departement" doc:"As published: a code or a name."`
	INSEE      string            `json:"code_insee"`
	Services   SiteServices      `json:"services" doc:"Each OK, HS, DE or NE; empty when the operator does not state it."`
	Reason     string            `json:"raison"`
	Start      string            `json:"debut" doc:"ISO 8601, UTC; empty when the operator does not state it."`
	End        string            `json:"fin_prev,omitempty" doc:"ISO 8601, UTC; absent when the operator does not state it."`
	Raw        map[string]string `json:"raw" doc:"The row of the operator's file, by its columns; times in the time of the file, as YYYY-MM-DD HH:MM:SS."`
	Region     string            `json:"region"`
	VoiceSMS   outage.Status     `json:"voixSms"`
	Voice      outage.Status     `json:"voix"`
	Data       outage.Status     `json:"data"`
	Voice2G    outage.Status     `json:"2Gvoix"`
	Voice3G    outage.Status     `json:"3Gvoix"`
	Voice4G    outage.Status     `json:"4Gvoix"`
	Data3G     outage.Status     `json:"3Gdata"`
	Data4G     outage.Status     `json:"4Gdata"`
	Data5G     outage.Status     `json:"5Gdata"`

	managed *bool // nil: not stated
}

const managedBy = "managedBy"

// Patterns returns the types of the members that MarshalJSON adds.
func (UnavailableSite) Patterns() map[string]reflect.Type {
	return map[string]reflect.Type{
		"^" + managedBy + "[A-Z][A-Za-z]*$":         reflect.TypeFor[*bool](),
		"^" + outage.ManagedColumn("[A-Z_]+") + "$": reflect.TypeFor[string](),
	}
}

// MarshalJSON implements json.Marshaler. It adds whether the operator runs the site itself:
// as managedByFreeCaraibes, with the operator's key, null if it is not stated, and as
// published, under the name of the file's column.
func (u UnavailableSite) MarshalJSON() ([]byte, error) {
	type fixed UnavailableSite
	text, err := JSON(fixed(u))
	if err != nil {
		return nil, err
	}
	column := outage.ManagedColumn(u.Operator)
	for _, m := range []struct {
		name  string
		value any
	}{{managedBy + camel(u.Operator), u.managed}, {column, u.Raw[column]}} {
		name, err := JSON(m.name)
		if err != nil {
			return nil, err
		}
		value, err := JSON(m.value)
		if err != nil {
			return nil, err
		}
		text = append(append(append(append(text[:len(text)-1], ','), name...), ':'), append(value, '}')...)
	}
	return text, nil
}

// camel writes the key of an operator such as FREE_CARAIBES as FreeCaraibes.
func camel(key string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(key, "_") {
		if word != "" {
			b.WriteString(word[:1] + strings.ToLower(word[1:]))
		}
	}
	return b.String()
}

// NewUnavailableSite returns an entry of /sites-hs. The key of its site is nil if it is not known.
func NewUnavailableSite(e *outage.Entry, siteKey *string) UnavailableSite {
	s := e.Services
	u := UnavailableSite{
		SourceID: e.SourceID(), Market: e.Market, Operator: e.Operator, Code: e.Code, Lat: e.Lat, Lon: e.Lng,
		SiteKey: siteKey, Commune: e.Commune, Department: e.Department, INSEE: e.INSEE, Region: e.Region, Reason: e.Reason,
		Services: SiteServices{s.Voice2G, s.Voice3G, s.Voice4G, s.Data3G, s.Data4G, s.Data5G, s.Voice, s.Data},
		Start:    momentOrEmpty(e.Start), End: momentOrEmpty(e.End), Raw: e.Raw(),
		VoiceSMS: s.VoiceSMS, Voice: s.Voice, Data: s.Data, Voice2G: s.Voice2G, Voice3G: s.Voice3G, Voice4G: s.Voice4G,
		Data3G: s.Data3G, Data4G: s.Data4G, Data5G: s.Data5G, managed: e.Managed,
	}
	if m := market.Get(e.Market); m != nil && m.HasFilter("territory") {
		u.Territory = OrNull(&e.Area)
	}
	return u
}

// UnavailableSitesMeta is the meta of /sites-hs.
type UnavailableSitesMeta struct {
	Market       market.Code  `json:"market"`
	Operator     string       `json:"operator"`
	Territory    *string      `json:"territory" doc:"The one that was asked for."`
	Cached       bool         `json:"cached" doc:"Whether the entries come from files that were read before. A request never asks an operator."`
	Count        int          `json:"count" doc:"Entries in this answer."`
	LastUpdate   string       `json:"lastUpdate" doc:"When the files were read, for several operators the oldest time: ISO 8601, UTC; empty if a file was never read."`
	OperatorFeed OperatorFeed `json:"operatorFeed"`
	// Unavailable explains why an answer is empty.
	Unavailable *string `json:"sourceUnavailableReason" doc:"Why the answer is always empty; null if operators of the market publish their unavailable sites."`
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// LastUpdate formats a time for UnavailableSitesMeta.
func LastUpdate(t *time.Time) string { return momentOrEmpty(t) }

func momentOrEmpty(t *time.Time) string {
	if t == nil {
		return ""
	}
	return Moment(*t)
}

func momentOrNull(t *time.Time) *string {
	text := momentOrEmpty(t)
	return OrNull(&text)
}
