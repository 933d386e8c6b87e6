package web

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"relais/catalog"
	"relais/index"
	"relais/measure"
	"relais/radio"
	"relais/site"
)

// Bounds of what the page about a log shows.
const (
	mostLogSites    = 300
	mostLogCells    = 60 // of a site
	mostLogUnknown  = 300
	mostLogNetworks = 30
)

// A logPage is the data of log.html.
type logPage struct {
	listSources
	Title, Notice string
	Rows          []string // what the file has
	Sums          []logSum
	Sites         []logSite
	Unknown       []logCell
	Networks      []string // without a register
	More          bool     // than is shown
}

// A logSum is a number of cells.
type logSum struct{ Number, Text string }

// A logSite is a site with its cells that were heard.
type logSite struct {
	listRow
	Cells []logCell
}

// A logCell is a cell that was heard.
type logCell struct {
	Operator, PLMN, Name string
	Heard                string
	Distance, Direction  string
	Azimuth              string // the nearest, and how far off it is
	Moved                bool
	Notes                []string
	Ask, Near            string // pages about the cell, and about where it was heard
}

func newLogPage(r *http.Request, log *measure.Log, q *catalog.Heard, found *catalog.HeardFound) *logPage {
	w := wordsFor(r)
	page := &logPage{Title: w["logTitle"]}
	page.Rows = []string{w.Count("logRows", log.Rows), w.Fill("logServed", w.Number(log.Served))}
	if log.Cut {
		page.Notice = w.Fill("logCut", w.Number(log.Rows))
	}
	switch {
	case log.Served == 0:
		page.Notice = strings.TrimSpace(page.Notice + " " + w["logNothing"])
		return page
	case q.Left > 0 && !log.Cut:
		page.Notice = w.Fill("logLeft", w.Number(q.Left))
	}
	for _, sum := range []struct {
		name string
		n    int
	}{{"logKnown", found.Known}, {"logMoved", found.Moved}, {"logUnknown", len(found.Unknown)},
		{"logUnregistered", len(found.Unregistered)}} {
		page.Sums = append(page.Sums, logSum{w.Number(sum.n), w[sum.name]})
	}
	for i := range found.Sites[:min(len(found.Sites), mostLogSites)] {
		s := &found.Sites[i]
		page.addSource(s.Register)
		row := logSite{listRow: newListRow(r, w, s.Register, s.At, nil)}
		for k := range s.Cells[:min(len(s.Cells), mostLogCells)] {
			row.Cells = append(row.Cells, newLogCell(r, w, &s.Cells[k], s.Register))
		}
		page.More = page.More || len(s.Cells) > mostLogCells
		page.Sites = append(page.Sites, row)
	}
	for i := range found.Unknown[:min(len(found.Unknown), mostLogUnknown)] {
		page.Unknown = append(page.Unknown, newLogCell(r, w, &found.Unknown[i], nil))
	}
	page.addNetworks(w, found.Unregistered)
	page.More = page.More || len(found.Sites) > mostLogSites || len(found.Unknown) > mostLogUnknown
	return page
}

// addNetworks adds the networks of cells without a register, each once, with the number of its cells.
func (p *logPage) addNetworks(w words, cells []catalog.FoundCell) {
	var names []string
	count := map[string]int{}
	for i := range cells {
		name := plmnText(cells[i].PLMN)
		if m := cells[i].Market; m != nil {
			name += " " + m.Operators[cells[i].Cell.Operator].Label + ", " + w.Market(m.Code)
		}
		if count[name] == 0 {
			names = append(names, name)
		}
		count[name]++
	}
	for _, name := range names[:min(len(names), mostLogNetworks)] {
		p.Networks = append(p.Networks, w.Count("logNetwork", count[name])+w["colon"]+" "+name)
	}
	p.More = p.More || len(names) > mostLogNetworks
}

// plmnText writes the code of a network in its two parts.
func plmnText(plmn string) string { return plmn[:3] + "\u00a0" + plmn[3:] }

// newLogCell describes a cell. m is the register of its site, nil for none.
func newLogCell(r *http.Request, w words, c *catalog.FoundCell, m *index.Market) logCell {
	row := logCell{PLMN: plmnText(c.PLMN), Name: cellName(w, c), Heard: w.Number(c.Rows), Moved: c.Moved}
	row.Operator = c.Market.Operators[c.Cell.Operator].Label
	if at := c.Middle; at != nil {
		lat, lng := formatDegrees(at.Lat), formatDegrees(at.Lng)
		row.Near = Link(r, nearPath, "lat", lat, "lng", lng)
		if name, value := cellParameter(c); name != "" {
			row.Ask = Link(r, goPath, "plmn", c.PLMN, name, value, "lat", lat, "lon", lng)
		}
	}
	if m == nil {
		return row
	}
	if c.Metres >= 0 {
		row.Distance = w.Distance(int(math.Round(c.Metres)))
	}
	if c.HasBearing {
		row.Direction = w.Direction(c.Bearing)
	}
	if c.HasAzimuth {
		row.Azimuth = w.Fill("logOff", strconv.Itoa(int(c.Azimuth))+"°", strconv.Itoa(int(math.Round(c.Off)))+"°")
	}
	switch {
	case c.Operator != c.Cell.Operator:
		row.Notes = append(row.Notes, w.Fill("logOther", m.Table.Operators[c.Operator].Label))
	case c.Basis == radio.Learned:
		row.Notes = append(row.Notes, w["logLearned"])
	case c.Basis == radio.Possible:
		row.Notes = append(row.Notes, w["logPossible"])
	}
	return row
}

// cellName writes the numbers of a cell.
func cellName(w words, c *catalog.FoundCell) string {
	switch id := c.Cell.ID; {
	case c.Cell.NR && id != 0:
		return fmt.Sprintf("5G · NCI\u00a0%d", id)
	case c.Cell.NR:
		return fmt.Sprintf("5G · gNB\u00a0%d", c.Cell.Node)
	case id != 0:
		return fmt.Sprintf("4G · eNB\u00a0%d · %s\u00a0%d", id>>site.ECICellBits, w["logCellOf"], id&(1<<site.ECICellBits-1))
	}
	return fmt.Sprintf("4G · eNB\u00a0%d", c.Cell.Node)
}

// cellParameter returns the parameter of /go that names a cell, "" for a gNB, which has none.
func cellParameter(c *catalog.FoundCell) (name, value string) {
	switch {
	case c.Cell.NR && c.Cell.ID == 0:
		return "", ""
	case c.Cell.ID == 0:
		return "enb", strconv.Itoa(int(c.Cell.Node))
	case c.Cell.NR:
		return "nci", strconv.FormatUint(c.Cell.ID, 10)
	}
	return "eci", strconv.FormatUint(c.Cell.ID, 10)
}
