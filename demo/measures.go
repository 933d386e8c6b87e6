package demo

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"
)

// Numbers of measurements in a day of the demonstration. They are the same each time, so that
// repeated imports add nothing.
const (
	testedSites  = 150 // with a speedtest a day
	pointsOfADay = 1000
)

func writeMeasures(dir string, c []support, now time.Time, days, tests, points int) (speedtests, coverage string,
	err error) {
	speedtests, coverage = filepath.Join(dir, "SYNTHETIC_speedtests.csv"), filepath.Join(dir, "SYNTHETIC_coverage.csv")
	if err := writeFile(speedtests, func(w io.Writer) error { return writeTests(w, c, now, days, tests) }); err != nil {
		return "", "", err
	}
	return speedtests, coverage,
		writeFile(coverage, func(w io.Writer) error { return writePoints(w, c, now, days, points) })
}

// writeTests writes the speedtests of the days before now: each day one at each of about
// sites sites, always the same ones.
func writeTests(w io.Writer, c []support, now time.Time, days, sites int) error {
	if _, err := io.WriteString(w,
		"timestamp,lat,lng,download_mbps,average_mbps,max_mbps,upload_mbps,ping_ms,mcc,mnc,network_type,connection_type,device_type,enb,gnb,cell_id,pci,rsrp,rsrq,snr\n"); err != nil {
		return err
	}
	tested := testedOf(c, sites)
	for day := range lastDays(now, days) {
		r := rand.New(rand.NewPCG(uint64(day.Unix()), 1))
		for _, s := range tested {
			p := phone{r, s, &s.stations[r.IntN(len(s.stations))], 0.008}
			lat, lng := p.place()
			down := 5 + 400*r.Float64()*r.Float64()
			generation, cell := p.cell()
			if _, err := fmt.Fprintf(w, "%s,%s,%s,%.1f,%.1f,%.1f,%.1f,%d,%s,CELLULAR,%s,phone,%s,%d,%d,%d\n",
				p.moment(day), lat, lng, down, down*0.8, down*1.2, down/6, 15+r.IntN(60),
				p.network(), generation, cell, -70-r.IntN(45), -6-r.IntN(12), r.IntN(28)); err != nil {
				return err
			}
		}
	}
	return nil
}

// testedOf returns supports all over mainland France.
func testedOf(c []support, sites int) (tested []*support) {
	for i := 0; i < len(c); i += max(1, len(c)/sites) {
		if c[i].mainland() {
			tested = append(tested, &c[i])
		}
	}
	return tested
}

// writePoints writes the coverage points of the days before now: walks around supports.
func writePoints(w io.Writer, c []support, now time.Time, days, each int) error {
	if _, err := io.WriteString(w,
		"timestamp,lat,lng,signal_strength,rsrp,snr,technology,network_type,mcc,mnc,enb,gnb,cell_id,pci\n"); err != nil {
		return err
	}
	const walk = 50 // points around one support
	for day := range lastDays(now, days) {
		r := rand.New(rand.NewPCG(uint64(day.Unix()), 2))
		var p phone
		for i := range each {
			if i%walk == 0 {
				s := &c[0] // each day once around Shown
				for i > 0 && (s == &c[0] || !s.mainland()) {
					s = &c[r.IntN(len(c))]
				}
				p = phone{r, s, &s.stations[r.IntN(len(s.stations))], 0.02}
			}
			lat, lng := p.place()
			generation, cell := p.cell()
			technology, level := map[string]string{"4G": "LTE", "5G": "NR"}[generation], -65-r.IntN(55)
			if _, err := fmt.Fprintf(w, "%s,%s,%s,%d,%d,%d,%s,CELLULAR,%s,%s\n", p.moment(day), lat, lng, level+20,
				level, r.IntN(28), technology, p.network(), cell); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastDays yields the days before that of now, the oldest first.
func lastDays(now time.Time, days int) func(yield func(time.Time) bool) {
	return func(yield func(time.Time) bool) {
		today := now.UTC().Truncate(24 * time.Hour)
		for ago := days; ago > 0 && yield(today.AddDate(0, 0, -ago)); ago-- {
		}
	}
}

func (s *support) mainland() bool { return overseas[s.town.department] == nil }

// A phone is near a support and served by one of its stations.
type phone struct {
	*rand.Rand
	support *support
	station *station
	around  float64 // degrees
}

func (p *phone) place() (lat, lng string) {
	at := func(seconds int) string {
		return strconv.FormatFloat(float64(seconds)/3600+p.around*(p.Float64()-0.5), 'f', 5, 64)
	}
	return at(p.support.lat), at(p.support.lng)
}

func (p *phone) moment(day time.Time) string {
	return day.Add(time.Duration(p.IntN(86400)) * time.Second).Format(time.RFC3339)
}

func (p *phone) network() string {
	plmn := p.station.operator.plmn
	mnc, _ := strconv.Atoi(plmn[3:]) // of the table of operators
	return plmn[:3] + "," + strconv.Itoa(mnc)
}

// cell returns the columns enb, gnb, cell_id and pci, and their generation.
func (p *phone) cell() (generation, columns string) {
	node, sector := p.support.node(), p.IntN(3)
	if p.station.has("5G") && p.IntN(3) == 0 {
		return "5G", fmt.Sprintf(",%d,%d,%d", node, node<<12|sector, (node*3+sector)%1008)
	}
	return "4G", fmt.Sprintf("%d,,%d,%d", node, node<<8|sector, (node*3+sector)%504)
}

// node returns the number of a support's base stations.
func (s *support) node() int { return 100000 + s.id - firstSupport }
