package demo

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"relais/geo"
	"relais/market"
)

// DayMarket is the market of a Day.
const DayMarket = market.FR

// A Day is the data of the demonstration that ages: measurements and outages of the days
// before a moment. They are made again for each day. All are marked SYNTHETIC: measurements
// by the names of their files, outages in the code or name of the site and in the reason.
type Day struct {
	Feeds      []Feed
	Reports    []Report
	Speedtests string // path of a file
	Coverage   string // the same
	Campaign   string // of a file in the layout of the authority's campaigns, the same for a year
}

// A Feed is a file of an operator.
type Feed struct{ Operator, Path string }

// A Report is a person's report on a site, and the number of its confirmations.
type Report struct {
	Operator, SiteKey, SiteName, Address, Commune, Reason string

	At            geo.Point
	Token         string // the same on the whole day
	Confirmations int
}

// measuredDays is how many days have measurements: as many as an answer covers by
// default.
const measuredDays = 30

// WriteDay writes the files of the days before now into dir.
func (f *France) WriteDay(dir string, now time.Time) (*Day, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c, fr := f.supports, market.Get(DayMarket)
	confirmations := []int{3, 1, 0} // one report for each of the first operators
	day := &Day{}
	var err error
	if day.Speedtests, day.Coverage, err = writeMeasures(dir, c, now, measuredDays, testedSites,
		pointsOfADay); err != nil {
		return nil, err
	}
	if day.Campaign, err = writeCampaign(dir, c, now); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(fr.FeedZone)
	if err != nil {
		return nil, err
	}
	for i, o := range mainland {
		key := market.ByPLMN(o.plmn)
		path := filepath.Join(dir, "SYNTHETIC_sites_hs_"+key+".csv")
		down := brokenOf(c, o, now)
		if err := writeFile(path,
			func(w io.Writer) error { return writeFeed(w, key, down, now.In(zone)) }); err != nil {
			return nil, err
		}
		day.Feeds = append(day.Feeds, Feed{key, path})
		if i < len(confirmations) && len(down) > 0 {
			day.Reports = append(day.Reports, reportOf(key, down[0], now, confirmations[i]))
		}
	}
	return day, nil
}

// broken is the event of a site that is unavailable on a day.
const broken event = 100

// brokenOf returns the supports of an operator that are unavailable on a day: one in five
// hundred of the mainland, and Shown of one operator.
func brokenOf(c []support, o operator, now time.Time) (down []*support) {
	for i := range c {
		for _, sta := range c[i].stations {
			s := &c[i]
			out := broken.draw(uint64(s.id), uint64(len(o.name)), uint64(now.Unix()/86400))%500 == 0 ||
				s.id == firstSupport && o.name == shownBroken
			if s.mainland() && sta.operator.name == o.name && out {
				down = append(down, s)
			}
		}
	}
	return down
}

// writeFeed writes an operator's file, in the form that the operators of France
// have agreed on. Times are those of now's zone.
func writeFeed(w io.Writer, operator string, down []*support, now time.Time) error {
	if _, err := fmt.Fprintf(w,
		"Antennes indisponibles de %s : données SYNTHETIC, inventées pour une démonstration\n\n"+
			"code_site_op;Antenne relais gérée par %s;region;departement;commune;code_insee;Lat;Lon;2Gvoix;3Gvoix;4Gvoix;3Gdata;4Gdata;5Gdata;voix;data;raison;detail;debut;fin_prev\n", operator, operator); err != nil {
		return err
	}
	for i, s := range down {
		states := "HS;HS;HS;HS;HS;HS;HS;HS"
		if i%3 == 1 {
			states = "OK;OK;DE;OK;DE;HS;OK;DE"
		}
		began, end := now.Add(-time.Duration(1+i%40)*time.Hour).Truncate(time.Minute), ""
		if i%2 == 0 {
			end = began.AddDate(0, 0, 3).Format(time.DateTime)
		}
		if _, err := fmt.Fprintf(w, "%s;%s;;%s;%s;%s;%s;%s;%s;SYNTHETIC;%s;%s;%s\n", s.code(),
			[]string{"OUI", "NON"}[i%2], s.town.department[1:], s.town.name, s.town.insee,
			dotted(s.lat), dotted(s.lng), states, []string{"incident inventé", "maintenance inventée"}[i%2],
			began.Format(time.DateTime), end); err != nil {
			return err
		}
	}
	return nil
}

// code returns the operators' code of a support's site.
func (s *support) code() string { return "SYNTHETIC-" + strconv.Itoa(s.id-firstSupport+1) }

// reportOf returns a person's report near a support.
func reportOf(operator string, s *support, now time.Time, confirmations int) Report {
	lat, lng := float64(s.lat)/3600, float64(s.lng)/3600
	return Report{
		Operator: operator, SiteKey: "fr-" + strconv.Itoa(s.id), SiteName: cmp.Or(s.lieu, s.code()) + " (SYNTHETIC)",
		Address: s.address,
		Commune: s.town.name, Reason: "SYNTHETIC: nobody reported this", At: geo.Point{Lat: lat + 0.001, Lng: lng},
		Token: operator + " " + now.UTC().Format(time.DateOnly), Confirmations: confirmations,
	}
}
