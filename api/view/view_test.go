package view

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"relais/geo"
	"relais/index"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

var statuses = []string{"Projet approuvé", "Techniquement opérationnel", "En service"}

// read writes sites to a snapshot and reads it back.
func read(t *testing.T, code market.Code, synthetic bool, sites ...site.Site) *snapshot.Snapshot {
	t.Helper()
	b := snapshot.NewBuilder(market.Get(code), statuses)
	b.SourceDate, b.UpdatedAt, b.Synthetic = "2026-08-27", "2026-08-27T16:11:53", synthetic
	for i := range sites {
		if err := b.Add(&sites[i]); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.ReadFile(path, code)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// full is a site with everything.
func full() site.Site {
	return site.Site{
		ID: "23444", SourceCode: "0032700002", Position: geo.Point{Lat: 46.1775, Lng: 3.3741667}, Area: 2,
		Commune: "Saint-Rémy-en-Rollat", CommuneCode: "03258", PostalCode: "03110", Place: "LE <PRÉ>",
		Address: [3]string{"12 rue", "Bât A", ""},
		Height:  27.2, HeightText: "27,2", Nature: site.Coded{Code: "23", Label: "Pylône autostable"},
		Owner: site.Coded{Code: "999"}, AntennaHeight: 25,
		Implemented: site.DateOf(2012, 6, 4), Commissioned: site.DateOf(2013, 8, 7),
		TxFrequencies: []uint64{806_100_000, 3_535_000_000},
		RxFrequencies: []uint64{847_150_000},
		FixedLink:     true, SharedRadio: true, Crozon: true, CrozonLeader: "SFR",
		Stations: []site.Station{{Code: "0032700002", Operator: 0},
			{Code: "0032750001", Operator: 1, OperatorSiteID: "T1"}},
		Emissions: []site.Emission{
			{Station: 0, System: "LTE 2600", Generation: site.G4, Status: 2, On: site.DateOf(2016, 1, 2),
				Azimuths: []uint16{0, 120}, Origin: site.FromList},
			{Station: 0, System: "LTE 800", Generation: site.G4, Status: 0},
			{Station: 0, System: "5G NR 3500", Generation: site.G5, Status: 0, On: site.DateOf(2026, 12, 1)},
			{Station: 1, System: "GSM 900", Generation: site.G2, Status: 1, On: site.DateOf(2010, 3, 4),
				Azimuths: []uint16{240}, Origin: site.FromStation},
		},
		Radio: []site.RadioID{{Kind: site.ENB, Operator: 0, Value: 1009}, {Kind: site.PCI, Operator: 0, Value: 17},
			{Kind: site.Cell, Operator: 0, Value: 258305}},
	}
}

// bare is a site about which the source states very little.
func bare() site.Site {
	return site.Site{ID: "9", SourceCode: "9742290001", Position: geo.Point{Lat: -20.9, Lng: 55.45}, Area: 3,
		Height: site.Unknown, AntennaHeight: site.Unknown,
		Stations:  []site.Station{{Code: "9742290001", Operator: 0}},
		Emissions: []site.Emission{{System: "LTE 800", Generation: site.G4}}}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := JSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The shapes are written out here by hand, field by field, from the contract.
const (
	fullSummary = `"id":"23444","anfrCode":"0032700002","nationalSiteCode":"23444","sourceCode":"0032700002","siteKey":"fr-23444","market":"FR","countryCode":"FR",` +
		`"marketLabel":"France","sourceAuthority":"ANFR","sourceLabel":"Observatoire ANFR","administrativeArea":{"type":"department","code":"03","label":"Allier"},` +
		`"coordinates":{"lat":46.1775,"lng":3.3741667},"location":{"department":"03","provinceCode":null,"commune":"Saint-Rémy-en-Rollat","postalCode":"03110",` +
		`"address":"LE <PRÉ>, 12 rue, Bât A","administrativeArea":{"type":"department","code":"03","label":"Allier"}},"status":"En service",` +
		`"technologies":["GSM 900","LTE 800","LTE 2600","5G NR 3500"],"operators":["SFR","BOUYGUES"],"sharedNetwork":true,"updatedAt":"2026-08-27T16:11:53","source":null`
	fullDetail = `,"support":{"height":27.2,"antennaHeight":25,"supportInfo":{"hauteur":"27,2","nature":"Pylône autostable","type_proprietaire":null,"nat_id":"23","tpo_id":"999"}},` +
		`"radio":{"generation":"4G","azimuts":[0,120,240],"hasFh":true,"latestDeploymentDate":"2016-01-02","technologiesInProject":{"lte":["LTE 800"],"5g":["5G NR 3500"]},` +
		`"physicalIds":["17"],"cellIds":["258305"],"nodes":[{"operator":"SFR","type":"enb","value":"1009","learned":false}],"txFrequencies":[806.1,3535],"rxFrequencies":[847.15]},` +
		`"dates":{"deployment":"2010-03-04","lastUpdated":"2026-08-27T16:11:53","implementation":"2012-06-04","commissioning":"2013-08-07"},` +
		`"stations":[{"code":"0032700002","operator":"SFR","operatorSiteId":""},{"code":"0032750001","operator":"BOUYGUES","operatorSiteId":"T1"}],` +
		`"emissions":[{"operator":"SFR","station":"0032700002","technology":"LTE 2600","generation":"4G","status":"En service","date":"2016-01-02","azimuts":[0,120],"azimutFrom":"list"},` +
		`{"operator":"SFR","station":"0032700002","technology":"LTE 800","generation":"4G","status":"Projet approuvé","date":null,"azimuts":null,"azimutFrom":null},` +
		`{"operator":"SFR","station":"0032700002","technology":"5G NR 3500","generation":"5G","status":"Projet approuvé","date":"2026-12-01","azimuts":null,"azimutFrom":null},` +
		`{"operator":"BOUYGUES","station":"0032750001","technology":"GSM 900","generation":"2G","status":"Techniquement opérationnel","date":"2010-03-04","azimuts":[240],"azimutFrom":"station"}],` +
		`"antennas":[],"sources":{"registers":[{"authority":"ANFR","source":"Observatoire ANFR","licence":"Licence Ouverte 2.0"}],"position":["Observatoire ANFR"],` +
		`"commune":["La Poste and INSEE, official codes of communes"],"operatorSiteIds":["ARCEP, sites of the operators"],"emissions":["Observatoire ANFR"],` +
		`"azimuts":["Observatoire ANFR","ANFR, données sur les installations radioélectriques de plus de 5 watts"],"heights":["Observatoire ANFR","ANFR, données sur les installations radioélectriques de plus de 5 watts"],` +
		`"cells":["tables of cells that the operator of this server gave"]}`
	fullSite = `{"siteId":"23444","market":"FR","anfrCode":"0032700002","operators":["SFR","BOUYGUES"],"operatorTag":"SHARED","isSharedSite":true,"isCrozon":true,"crozonLeader":"SFR",` +
		`"addressLine1":"12 rue","addressLine2":"Bât A","addressLine3":null,"lieuDit":"LE <PRÉ>","postalCode":"03110","insee":"03258","commune":"Saint-Rémy-en-Rollat",` +
		`"fullAddress":"LE <PRÉ>, 12 rue, Bât A, 03110 Saint-Rémy-en-Rollat","operatorSiteId":"T1","latitude":46.1775,"longitude":3.3741667}`
	fullFeature = `{"type":"Feature","id":"23444","geometry":{"type":"Point","coordinates":[3.3741667,46.1775]},"properties":{"id":"23444","market":"FR","countryCode":"FR",` +
		`"nationalSiteCode":"23444","sourceAuthority":"ANFR","operators":["SFR","BOUYGUES"]}},`
	bareDetail = `{"id":"9","anfrCode":"9742290001","nationalSiteCode":"9","sourceCode":"9742290001","siteKey":"drom-9","market":"DROM","countryCode":"FR","marketLabel":"France (outre-mer)",` +
		`"sourceAuthority":"ANFR","sourceLabel":"Observatoire ANFR","administrativeArea":{"type":"department","code":"974","label":"La Réunion"},"coordinates":{"lat":-20.9,"lng":55.45},` +
		`"location":{"department":"974","provinceCode":null,"commune":null,"postalCode":null,"address":null,"administrativeArea":{"type":"department","code":"974","label":"La Réunion"}},` +
		`"status":"Projet approuvé","technologies":["LTE 800"],"operators":["ORANGE"],"sharedNetwork":false,"updatedAt":"2026-08-27T16:11:53","source":null,` +
		`"support":{"height":null,"antennaHeight":null,"supportInfo":{"hauteur":"","nature":"","type_proprietaire":"","nat_id":"","tpo_id":""}},` +
		`"radio":{"generation":"","azimuts":[],"hasFh":false,"latestDeploymentDate":"","technologiesInProject":{"lte":["LTE 800"],"5g":[]},"physicalIds":[],"cellIds":[],"nodes":[],` +
		`"txFrequencies":[],"rxFrequencies":[]},"dates":{"deployment":null,"lastUpdated":"2026-08-27T16:11:53","implementation":null,"commissioning":null},` +
		`"stations":[{"code":"9742290001","operator":"ORANGE","operatorSiteId":""}],` +
		`"emissions":[{"operator":"ORANGE","station":"9742290001","technology":"LTE 800","generation":"4G","status":"Projet approuvé","date":null,"azimuts":null,"azimutFrom":null}],"antennas":[],"sources":{"registers":[{"authority":"ANFR","source":"Observatoire ANFR","licence":"Licence Ouverte 2.0"}],"position":["Observatoire ANFR"],"commune":[],"operatorSiteIds":[],"emissions":["Observatoire ANFR"],"azimuts":[],"heights":[],"cells":[]}}`
)

func TestSiteShapes(t *testing.T) {
	snap := read(t, market.FR, false, full())
	var s site.Site
	snap.Site(0, &s)
	fragment := Summaries(snap)(nil, &s)
	feature, err := Features(snap)(nil, &s)
	if err != nil {
		t.Fatal(err)
	}
	overseas := read(t, market.DROM, false, bare())
	var b site.Site
	overseas.Site(0, &b)
	for _, tt := range []struct{ name, got, want string }{
		{"summary", string(fragment), "{" + fullSummary + "},"},
		{"detail", encode(t, Detail{RegisterOf(snap).summary(&s), NewMore(snap, &s)}), "{" + fullSummary + fullDetail + "}"},
		{"site", encode(t, NewSite(snap, &s, -1)), fullSite},
		{"site of SFR", encode(t, NewSite(snap, &s, 0)),
			strings.Replace(fullSite, `"operatorSiteId":"T1"`, `"operatorSiteId":""`, 1)},
		{"feature", string(feature), fullFeature},
		{"detail of little", encode(t, Detail{RegisterOf(overseas).summary(&b), NewMore(overseas, &b)}), bareDetail},
	} {
		if tt.got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, tt.got, tt.want)
		}
	}
	if site := NewSite(overseas, &b, -1); site.OperatorTag != "ORANGE" || site.IsSharedSite || site.FullAddress != "" {
		t.Errorf("site of little = %+v, want ORANGE alone and no address", site)
	}
}

// Sites are of the registers that were read, not of the market's own by default.
func TestSourceOfRegisters(t *testing.T) {
	be := market.Get(market.BE)
	b := snapshot.NewBuilder(be, statuses)
	b.SourceDate, b.UpdatedAt, b.Registers = "2026-08-27", "2026-08-27T00:00:00", []string{be.OtherRegisters[0].Source}
	s := full()
	s.Area = -1
	if err := b.Add(&s); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.snap")
	if _, err := b.Write(path); err != nil {
		t.Fatal(err)
	}
	snap, err := snapshot.ReadFile(path, market.BE)
	if err != nil {
		t.Fatal(err)
	}
	if v := RegisterOf(snap).summary(&s); v.SourceAuthority != "BIPT/IBPT" || v.SourceLabel != be.OtherRegisters[0].Source {
		t.Errorf("source = %s, %s; want BIPT/IBPT and its register", v.SourceAuthority, v.SourceLabel)
	}
	if v := NewMarket(be, &index.Market{Table: be, Snap: snap}); v.SourceAuthority != "BIPT/IBPT" ||
		v.SourceLabel != be.OtherRegisters[0].Source || v.Licence != be.OtherRegisters[0].Licence {
		t.Errorf("market = %+v, want the source of the register that was read", v)
	}
	if v := NewMarket(be, nil); v.SourceAuthority != be.Authority || v.Licence != be.Licence {
		t.Errorf("market that is not loaded = %+v, want its own source", v)
	}
}

func TestSyntheticSaysSo(t *testing.T) {
	snap := read(t, market.FR, true, full())
	var s site.Site
	snap.Site(0, &s)
	if v := RegisterOf(snap).summary(&s); !strings.Contains(v.SourceLabel, "SYNTHETIC") {
		t.Errorf("source label = %q, want SYNTHETIC in it", v.SourceLabel)
	}
	if !strings.Contains(SourceOf(market.Get(market.FR), snap).Source, "SYNTHETIC") {
		t.Error("the source label of the market does not say so")
	}
}

func TestNewMarket(t *testing.T) {
	var got Market
	text := encode(t, NewMarket(market.Get(market.PT), nil))
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Loaded || got.Availability != market.Unavailable || got.SourceUnavailableReason == nil ||
		got.SourceDate != nil {
		t.Errorf("market = %s, want it unavailable, with a reason", text)
	}
	for _, list := range []string{`"operators":[]`, `"areas":[]`, `"statuses":[]`} {
		if !strings.Contains(text, list) {
			t.Errorf("%s lacks %s", text, list)
		}
	}
}
