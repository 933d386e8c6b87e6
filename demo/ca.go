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

	"relais/geo"
	"relais/market"
)

// caRows makes about 2,000 places.
const caRows = 18000

// WriteCA writes rows of invented sites around real towns of Canada in the format of
// ISED's Site_Data_Extract_FX. The file's name has to begin with SYNTHETIC. The same number of
// rows always gives the same bytes.
func WriteCA(w io.Writer, rows int) error {
	g := caGenerator{random: rand.New(rand.NewPCG(2026, 302)), w: bufio.NewWriterSize(w, 1<<16)}
	all, err := terrains()
	if err != nil {
		return err
	}
	g.land = all[string(market.CA)]
	g.w.WriteString("\ufeff" + caHeader + "\n")
	for g.rows < rows {
		g.place(rows)
	}
	return g.w.Flush()
}

// writeExtract writes n rows into dir.
func writeExtract(dir string, n int) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "SYNTHETIC_Site_Data_Extract_FX.csv")
	return []string{path}, writeFile(path, func(w io.Writer) error { return WriteCA(w, n) })
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
	random *rand.Rand
	land   *terrain
	w      *bufio.Writer
	rows   int
	number int // of the place
}

// A caRow has the columns that are invented.
type caRow struct {
	uploaded, licence, reference, category, licensee         string
	location, technology, cell, physical, province, lat, lng string
	height, structure, record, tx, rx                        string
	antennaHeight, omni, azimuth                             string
}

const caHeader = "upload_date*,licence_number,reference_number,subservice_id*,licence_category*,area_id*,area_name*,account_number*,licensee_name*," +
	"contact_name,business_telephone,email_address,location,station_type,technology,cell_id,physical_id,province_code,latitude,longitude,site_type," +
	"structure_height,structure_type,date_last_changed,record_id,tx_frequency,rx_frequency,tx_radio_model_number,rx_radio_model_number," +
	"tx_radio_manufacturer_code,rx_radio_manufacturer_code,tx_certification_no,rx_certification_no,bandwidth,class_emission,tx_power,downlink_allocation," +
	"tx_ant_type,rx_ant_type,tx_number_antennas,rx_number_antennas,tx_ant_model_no,rx_ant_model_no,tx_ant_manufacturer,rx_ant_manufacturer,tx_ant_height," +
	"rx_ant_height,tx_ant_omni_indicator,rx_ant_omni_indicator,tx_ant_horiz_beamwidth,rx_ant_horiz_beamwidth,tx_ant_vert_beamwidth,rx_ant_vert_beamwidth," +
	"tx_ant_azimuth,rx_ant_azimuth,tx_ant_elevation_angle,rx_ant_elevation_angle,tx_ant_gain,rx_ant_gain,tx_line_loss,rx_line_loss"

func (g *caGenerator) write(r *caRow) {
	g.rows++
	fields := [...]string{r.uploaded, r.licence, quote(r.reference), "-", r.category, "4-001", "Area", "100000001",
		quote(r.licensee), "", "", "",
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
	g.w.WriteByte('\n')
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
	before := g.rows
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
	first := g.random.IntN(120)
	for i, s := range caSystems {
		if g.random.IntN(3) > 0 && (i < len(caSystems)-1 || g.rows > before) {
			continue
		}
		r.category, r.technology = s.category, s.technology[g.random.IntN(len(s.technology))]
		r.licence, r.record = fmt.Sprintf("01%03d%04d", i*100+licensee, 1000+len(town.name)), fmt.Sprintf("S%07d",
			g.number)
		r.tx, r.rx = fmt.Sprint(s.tx), fmt.Sprint(s.rx)
		for sector := range sectors {
			if g.rows == most {
				break
			}
			r.azimuth, r.omni = fmt.Sprint((first+120*sector)%360), "D"
			r.cell, r.physical = g.cell(r.technology, i, sector)
			g.write(&r)
		}
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
