package demo

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"relais/geo"
	"relais/market"
)

// caRows makes about 2,000 places.
const caRows = 18000

// CAOptions are variants of the file of WriteCA.
type CAOptions struct {
	Older    bool // the older layout: upper-case names, Latin-1, fewer columns
	Broken   bool // every twentieth row is broken, each in the next way of caBroken
	Personal bool // contact columns are filled, with invented names and numbers that all contain "PERSONAL"
}

// CACounts is the number of rows and places that WriteCA wrote.
type CACounts struct {
	Rows, Places int            // Places have at least one good row
	Broken       map[string]int // rows by the way in which they are broken
}

// caBroken are the ways in which rows are broken. Rows of the last way have values out
// of range, but are otherwise good.
var caBroken = []string{"stray quote", "one field more", "swapped", "zero", "not a number", "outside", "technology",
	"category", "no changes", "no licence", "values"}

// WriteCA writes rows of invented sites around real towns of Canada in the format of
// ISED's Site_Data_Extract_FX. The file's name has to begin with SYNTHETIC. The same
// arguments always write the same bytes.
func WriteCA(w io.Writer, rows int, o CAOptions) (CACounts, error) {
	g := caGenerator{CAOptions: o, random: rand.New(rand.NewPCG(2026, 302)), w: bufio.NewWriterSize(w, 1<<16)}
	g.count.Broken = map[string]int{}
	all, err := terrains()
	if err != nil {
		return g.count, err
	}
	g.land = all[string(market.CA)]
	g.header()
	for g.count.Rows < rows {
		g.place(rows)
	}
	return g.count, g.w.Flush()
}

// writeExtract writes n rows into dir.
func writeExtract(dir string, n int) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "SYNTHETIC_Site_Data_Extract_FX.csv")
	return []string{path}, writeFile(path, func(w io.Writer) error {
		_, err := WriteCA(w, n, CAOptions{})
		return err
	})
}

type caTown struct {
	province, name string
	geo.Point
}

var caTowns = []caTown{
	{"ON", "Toronto", geo.Point{Lat: 43.6532, Lng: -79.3832}},
	{"QC", "Montréal", geo.Point{Lat: 45.5019, Lng: -73.5674}},
	{"BC", "Vancouver", geo.Point{Lat: 49.2827, Lng: -123.1207}},
	{"AB", "Calgary", geo.Point{Lat: 51.0447, Lng: -114.0719}},
	{"AB", "Edmonton", geo.Point{Lat: 53.5461, Lng: -113.4938}},
	{"ON", "Ottawa", geo.Point{Lat: 45.4215, Lng: -75.6972}},
	{"MB", "Winnipeg", geo.Point{Lat: 49.8951, Lng: -97.1384}},
	{"QC", "Québec", geo.Point{Lat: 46.8139, Lng: -71.2080}},
	{"NS", "Halifax", geo.Point{Lat: 44.6488, Lng: -63.5752}},
	{"SK", "Regina", geo.Point{Lat: 50.4452, Lng: -104.6189}},
	{"SK", "Saskatoon", geo.Point{Lat: 52.1332, Lng: -106.6700}},
	{"NL", "St. John's", geo.Point{Lat: 47.5615, Lng: -52.7126}},
	{"NB", "Fredericton", geo.Point{Lat: 45.9636, Lng: -66.6431}},
	{"NB", "Moncton", geo.Point{Lat: 46.0878, Lng: -64.7782}},
	{"PE", "Charlottetown", geo.Point{Lat: 46.2382, Lng: -63.1311}},
	{"BC", "Victoria", geo.Point{Lat: 48.4284, Lng: -123.3656}},
	{"ON", "Thunder Bay", geo.Point{Lat: 48.3809, Lng: -89.2477}},
	{"QC", "Trois-Rivières", geo.Point{Lat: 46.3432, Lng: -72.5430}},
	{"YT", "Whitehorse", geo.Point{Lat: 60.7212, Lng: -135.0568}},
	{"NT", "Yellowknife", geo.Point{Lat: 62.4540, Lng: -114.3718}},
	{"NU", "Iqaluit", geo.Point{Lat: 63.7467, Lng: -68.5170}},
}

var caLicensees = []struct {
	name   string
	weight int
}{
	{"Bell Mobility Inc.", 30}, {"Rogers Communications Canada Inc.", 26}, {"TELUS Communications Inc.", 24},
	{"Vidéotron ltée", 6}, {"Freedom Mobile Inc.", 5},
	{"Bell Aliant", 2}, {"SaskTel", 3}, {"Bragg Communications Inc.", 2}, {"Tbaytel", 1}, {"Xplore Inc.", 1},
}

// caSystems are the technologies of each licence category, with the lower ends of the
// site's and the phones' blocks, MHz.
var caSystems = []struct {
	category   string
	tx, rx     float64
	technology []string
}{
	{"CELL", 870.03, 825.03, []string{"HSPA", "GSM"}}, {"PCS", 1932.5, 1852.5, []string{"HSPA", "LTE"}},
	{"PCSG", 1992.5, 1912.5, []string{"LTE"}},
	{"AWS", 2112.5, 1712.5, []string{"LTE"}}, {"AWS-3", 2157.5, 1757.5, []string{"LTE", "5GDSS"}},
	{"BRS", 2622.5, 2502.5, []string{"LTE"}},
	{"MBS", 731.5, 701.5, []string{"LTE"}}, {"600B", 622, 668, []string{"5GNR", "5GDSS"}},
	{"3500B", 3500, 3500, []string{"5GNR"}},
}

type caGenerator struct {
	CAOptions
	random *rand.Rand
	land   *terrain
	w      *bufio.Writer
	count  CACounts
	number int // of the place
	licit  int // good rows at the place
}

// A caRow has the columns of both layouts.
type caRow struct {
	uploaded, licence, reference, category, licensee         string
	location, technology, cell, physical, province, lat, lng string
	height, structure, record, tx, rx                        string
	antennaHeight, omni, azimuth                             string
	contact, telephone, email                                string
}

const caHeader = "upload_date*,licence_number,reference_number,subservice_id*,licence_category*,area_id*,area_name*,account_number*,licensee_name*," +
	"contact_name,business_telephone,email_address,location,station_type,technology,cell_id,physical_id,province_code,latitude,longitude,site_type," +
	"structure_height,structure_type,date_last_changed,record_id,tx_frequency,rx_frequency,tx_radio_model_number,rx_radio_model_number," +
	"tx_radio_manufacturer_code,rx_radio_manufacturer_code,tx_certification_no,rx_certification_no,bandwidth,class_emission,tx_power,downlink_allocation," +
	"tx_ant_type,rx_ant_type,tx_number_antennas,rx_number_antennas,tx_ant_model_no,rx_ant_model_no,tx_ant_manufacturer,rx_ant_manufacturer,tx_ant_height," +
	"rx_ant_height,tx_ant_omni_indicator,rx_ant_omni_indicator,tx_ant_horiz_beamwidth,rx_ant_horiz_beamwidth,tx_ant_vert_beamwidth,rx_ant_vert_beamwidth," +
	"tx_ant_azimuth,rx_ant_azimuth,tx_ant_elevation_angle,rx_ant_elevation_angle,tx_ant_gain,rx_ant_gain,tx_line_loss,rx_line_loss"

// caOlderHeader has the names of the older layout, and those that it lacked and
// other programs add to it.
const caOlderHeader = "NEW_ACCOUNT,NEW_LICNO,LICENSEE,SERVICE,TRANSMIT_FREQ,RECEIVE_FREQ,TRANSMIT_BW,LOCATION,PROV,LATITUDE,LONGITUDE,SITE_ELEV,STUCT_HT," +
	"TX_PWR,TX_ANT_HT,TX_ANT_AZIM,TX_ANT_DIRECTIONAL,LAST_MOD_DATE,LAST_UPLOAD_DATE,TECHNOLOGY,CELL_ID,PHYSICAL_ID,STRUCTURE_TYPE,RECORD_ID,REFERENCE_NUMBER," +
	"CONTACT_NAME,BUSINESS_TELEPHONE,EMAIL_ADDRESS"

func (g *caGenerator) header() {
	if g.Older {
		g.w.WriteString(caOlderHeader + "\r\n")
	} else {
		g.w.WriteString("\ufeff" + caHeader + "\n")
	}
}

func (g *caGenerator) write(r *caRow, tail string) {
	if g.Older {
		line := strings.Join([]string{"100000001", r.licence, quote(r.licensee), r.category, r.tx, r.rx, "5000",
			r.location, r.province, r.lat, r.lng, "",
			r.height, "43", r.antennaHeight, r.azimuth, r.omni, "", r.uploaded, r.technology, r.cell, r.physical,
			r.structure, r.record, quote(r.reference),
			r.contact, r.telephone, r.email}, ",")
		latin1, _ := charmap.Windows1252.NewEncoder().String(line) // has all letters of the table
		g.w.WriteString(latin1 + tail + "\r\n")
		return
	}
	fields := [...]string{r.uploaded, r.licence, quote(r.reference), "-", r.category, "4-001", "Area", "100000001",
		quote(r.licensee), r.contact, r.telephone, r.email,
		r.location, "FX", r.technology, r.cell, r.physical, r.province, r.lat, r.lng, "U", r.height, r.structure,
		"2025-11-01", r.record, r.tx, r.rx,
		"-", "-", "-", "-", "-", "-", "5000", "5M00W7D", "43", "-", "NAU", "NAU", "2", "2", "-", "-", "-",
		"-", r.antennaHeight, r.antennaHeight,
		r.omni, r.omni, "65", "65", "7", "7", r.azimuth, r.azimuth, "-2", "-2", "17", "17", "0.5", "0.5"}
	for i, f := range fields {
		if i > 0 {
			g.w.WriteByte(',')
		}
		g.w.WriteString(f)
	}
	g.w.WriteString(tail + "\n")
}

func quote(text string) string {
	if strings.ContainsAny(text, `,"`) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// place writes the rows of one licensee at one place, at most most.
func (g *caGenerator) place(most int) {
	g.number++
	g.licit = 0
	p := g.land.draw(g.random)
	town := &caTowns[nearest(p, len(caTowns), func(i int) geo.Point { return caTowns[i].Point }, nil)]
	licensee := g.pick(len(caLicensees), func(i int) int { return caLicensees[i].weight })
	r := caRow{uploaded: fmt.Sprintf("2026-01-%02d", 1+g.random.IntN(15)), reference: "Monthly upload, January",
		licensee: caLicensees[licensee].name,
		location: fmt.Sprintf("\"%s, demonstration site %d\"", town.name, g.number), province: town.province,
		structure: string("TRPSFMO"[g.random.IntN(7)])}
	// The last two decimals count the places, so that all differ.
	lat := math.Round(p.Lat*1000)/1000 + float64(g.number%100)*1e-5
	lng := math.Round(p.Lng*1000)/1000 + float64(g.number/100%100)*1e-5
	r.lat, r.lng = fmt.Sprintf("%.6f", lat), fmt.Sprintf("%.6f", lng)
	height := 10 + g.random.IntN(70)
	r.height, r.antennaHeight = fmt.Sprint(height), fmt.Sprintf("%d.5", height-2)
	if g.Personal {
		r.contact, r.telephone, r.email = fmt.Sprintf("PERSONAL Name %d", g.number), fmt.Sprintf("555-PERSONAL-%04d",
			g.number%10000), fmt.Sprintf("n%d@personal.example", g.number)
	}
	first := g.random.IntN(120)
	for i, s := range caSystems {
		if g.random.IntN(3) > 0 && (i < len(caSystems)-1 || g.licit > 0) {
			continue
		}
		r.category, r.technology = s.category, s.technology[g.random.IntN(len(s.technology))]
		r.licence, r.record = fmt.Sprintf("01%03d%04d", i*100+licensee, 1000+len(town.name)), fmt.Sprintf("S%07d",
			g.number)
		r.tx, r.rx = fmt.Sprint(s.tx), fmt.Sprint(s.rx)
		for sector := range sectors {
			if g.count.Rows == most {
				break
			}
			r.azimuth, r.omni = fmt.Sprint((first+120*sector)%360), "D"
			r.cell, r.physical = g.cell(r.technology, i, sector)
			g.row(r)
		}
	}
	if g.licit > 0 {
		g.count.Places++
	}
}

// cell invents identifiers in the usual spellings.
func (g *caGenerator) cell(technology string, system, sector int) (cell, physical string) {
	switch technology {
	case "LTE":
		return fmt.Sprintf("LTE %d", (100000+g.number%900000)<<8+system<<2+sector),
			fmt.Sprint((g.number + sector) % 504)
	case "GSM", "HSPA":
		return fmt.Sprintf("LAC%d CellID%d", 10000+g.number%50000, g.number%60000), ""
	}
	return "-", fmt.Sprint((g.number + sector) % 1008)
}

// row writes a row. Every twentieth is broken with CAOptions.Broken.
func (g *caGenerator) row(r caRow) {
	g.count.Rows++
	if !g.Broken || g.count.Rows%20 != 0 {
		g.licit++
		g.write(&r, "")
		return
	}
	way, tail := caBroken[g.count.Rows/20%len(caBroken)], ""
	g.count.Broken[way]++
	switch way {
	case "stray quote":
		r.location = "\"" + r.location[1:len(r.location)-1]
	case "one field more":
		tail = ","
	case "swapped":
		r.lat, r.lng = r.lng, r.lat
	case "zero":
		r.lat, r.lng = "0", "0"
	case "not a number":
		r.lat = "NaN"
	case "outside":
		r.lat = "38.9"
	case "technology":
		r.technology = "WIMAX"
	case "category":
		r.category = "FWA"
	case "no changes":
		r.location = "NOCHANGES"
	case "no licence":
		r.licence = "-"
	case "values":
		r.height, r.azimuth, r.tx, r.physical = "99999", "361", "9", "4711"
		g.licit++
	}
	g.write(&r, tail)
}

// pick draws a number below n by weight.
func (g *caGenerator) pick(n int, weight func(int) int) int {
	total := 0
	for i := range n {
		total += weight(i)
	}
	at := g.random.IntN(total)
	for i := range n {
		if at -= weight(i); at < 0 {
			return i
		}
	}
	return n - 1
}
