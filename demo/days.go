package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"relais/market"
)

// listedDays is how many days before a moment have lists of all operators: more than the page of a site shows.
const listedDays = 120

// longestOutage is the longest time, in days, that a site is unavailable.
const longestOutage = 6

// outage and unlisted are events: that an outage begins, and that a day has no list.
const (
	outage   event = 101
	unlisted event = 102
)

// A dayList is a list of a day in ARCEP's layout. Its readers name these properties.
type dayList struct {
	Type     string       `json:"type"`
	Features []dayFeature `json:"features"`
}

type dayFeature struct {
	Type       string        `json:"type"`
	Properties dayProperties `json:"properties"`
	Geometry   dayPoint      `json:"geometry"`
}

type dayPoint struct {
	Type        string        `json:"type"`
	Coordinates []json.Number `json:"coordinates"`
}

type dayProperties struct {
	Operator   string  `json:"operateur"`
	Department string  `json:"departement"`
	Postal     string  `json:"code_postal"`
	INSEE      string  `json:"code_insee"`
	Commune    string  `json:"commune"`
	Station    string  `json:"station_anfr"`
	Voice2G    string  `json:"voix2g"`
	Voice3G    string  `json:"voix3g"`
	Voice4G    string  `json:"voix4g"`
	Data3G     string  `json:"data3g"`
	Data4G     string  `json:"data4g"`
	Data5G     string  `json:"data5g"`
	Voice      string  `json:"voix"`
	Data       string  `json:"data"`
	Own        int     `json:"propre"`
	Reason     string  `json:"raison"`
	Detail     string  `json:"detail"`
	Start      string  `json:"debut"`
	End        *string `json:"fin"`
}

// WriteDays writes a list for each of the days before now into dir, without those that are missing, as some of the
// authority's are. The lists of a day are always the same.
func (f *France) WriteDays(dir string, now time.Time) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for ago := 1; ago <= listedDays; ago++ {
		day := int(now.Unix()/86400) - ago
		// One day in twelve is missing, and three in a row at the end of each block of forty.
		if unlisted.draw(uint64(day))%12 == 0 || day%40 > 36 {
			continue
		}
		list := dayList{Type: "FeatureCollection", Features: []dayFeature{}}
		for i := range f.supports {
			for k := range f.supports[i].stations {
				list.add(&f.supports[i], &f.supports[i].stations[k], day)
			}
		}
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("SYNTHETIC_raw%s.geojson", time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// add adds a station, if it is unavailable on a day.
func (l *dayList) add(s *support, sta *station, day int) {
	key := market.ByPLMN(sta.operator.plmn)
	m := market.Get(DayMarket)
	i, ok := m.Operator(key)
	if !ok || !s.mainland() {
		return
	}
	for ago := range longestOutage {
		began := day - ago
		x := outage.draw(uint64(s.id), uint64(len(sta.operator.name)), uint64(began))
		if often := s.id == firstSupport && sta.operator.name == shownBroken; x%1500 != 0 && !(often && x%15 == 0) {
			continue
		}
		if int(x>>32%longestOutage) >= ago { // it is not over
			l.Features = append(l.Features, feature(s, sta, m.Operators[i].Label, began, x))
			return
		}
	}
}

// feature returns a station as a list has it, with an outage that began on a day.
func feature(s *support, sta *station, operator string, began int, x uint64) dayFeature {
	p := dayProperties{Operator: operator, Department: s.town.department[1:], Postal: s.town.postal, INSEE: s.town.insee,
		Commune: s.town.name, Station: sta.number, Voice2G: "OK", Voice3G: "OK", Voice4G: "HS", Data3G: "OK", Data4G: "HS",
		Data5G: "HS", Voice: "HS", Data: "HS", Own: int(x >> 20 % 2), Reason: []string{"INT", "MAINT"}[x>>24%2],
		Detail: "SYNTHETIC", Start: time.Unix(int64(began)*86400+int64(x>>28%8)*3600, 0).UTC().Format(time.DateTime)}
	if x>>30%2 == 0 {
		p.Voice2G, p.Voice3G, p.Data3G = "HS", "HS", "HS"
	}
	return dayFeature{"Feature", p, dayPoint{"Point", []json.Number{json.Number(dotted(s.lng)), json.Number(dotted(s.lat))}}}
}
