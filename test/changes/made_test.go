package changes

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"relais/internal/filetest"
)

const header = "\ufeffid;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;" +
	"sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;" +
	"coordonnees;coord;statut\n"

// A row is a row of the observatoire that weeks are made of.
type row struct {
	operator, support, system, department, generation, station, height string
	lat, lng                                                           float64
	status                                                             string
}

func (r *row) text(id int, date string) string {
	return fmt.Sprintf("%d;%s;%s;%s;2020-01-02;%s;%s001;%s;%sT16:11:53;%s;23;%s;72;;rue;;;;;\"%.7f , %.7f\";;%s\n", id,
		r.operator, r.support, r.system, r.department, r.department[1:], r.generation, date, r.station, r.height, r.lat,
		r.lng, r.status)
}

var statuses = []string{"Projet approuvé", "Techniquement opérationnel", "En service"}

// made are the choices of a random row: with operators, generations, territories and statuses that
// are not served.
var (
	operators = []string{"ORANGE", "SFR", "BOUYGUES TELECOM", "FREE MOBILE", "DIGICEL", "SRR", "Nouveau",
		"UTS Caraibes"}
	systems = [][2]string{{"GSM 900", "2G"}, {"UMTS 900", "3G"}, {"LTE 800", "4G"}, {"5G NR 3500", "5G"},
		{"5G NR 2100", "5G"}, {"6G 100", "6G"}}
	departments = []struct {
		code     string
		lat, lng float64
	}{{"035", 48.1, -1.7}, {"02A", 41.9, 8.7}, {"971", 16.2, -61.5}, {"974", -21.1, 55.5}, {"988", -22.2, 166.4},
		{"001", 60, 5}}
)

// support makes the rows of a support.
func support(r *rand.Rand, number int) (rows []row) {
	in := departments[min(r.IntN(20), r.IntN(20))%len(departments)]
	lat, lng := in.lat+float64(r.IntN(2000))/10000, in.lng+float64(r.IntN(2000))/10000
	for range 1 + r.IntN(5) {
		y := systems[min(r.IntN(20), r.IntN(20))%len(systems)]
		rows = append(rows, row{operators[r.IntN(len(operators))], fmt.Sprint(number), y[0], in.code, y[1],
			fmt.Sprintf("%s2%06d", in.code, number+100*r.IntN(2)), "27", lat, lng, statuses[r.IntN(3)]})
	}
	return rows
}

// nextWeek makes a week of the one before.
func nextWeek(r *rand.Rand, week []row, number int) (next []row) {
	moves := map[string][2]float64{}
	for _, e := range week {
		if _, known := moves[e.support]; known || r.IntN(15) > 0 {
			continue
		}
		// By nothing, a metre, five or six, a second of arc or two, and far.
		by := []float64{0, 1e-5, 4.4e-5, 5e-5, 1.0 / 3600, 2.0 / 3600, 0.01}
		moves[e.support] = [2]float64{by[r.IntN(len(by))], by[r.IntN(len(by))]}
	}
	for _, e := range week {
		if r.IntN(40) > 0 { // else the row stays behind
			e.lat, e.lng = e.lat+moves[e.support][0], e.lng-moves[e.support][1]
		}
		more := e
		switch r.IntN(25) {
		case 0:
			continue
		case 1:
			more.system, more.generation = "LTE 2600", "4G"
			next = append(next, more)
		case 2:
			e.height = "31"
		case 3:
			e.support = fmt.Sprint(number + r.IntN(50))
		case 4:
			e.operator = operators[r.IntN(len(operators))]
		case 5:
			e.status = statuses[r.IntN(3)]
		case 6: // another station with the same system
			more.station, more.status = more.station[:9]+"9", statuses[r.IntN(3)]
			next = append(next, more)
		case 7:
			e.station = e.station[:9] + "8"
		case 8:
			e.status = "Inconnu"
		case 9:
			next = append(next, e)
		}
		next = append(next, e)
	}
	for i := range 3 {
		next = append(next, support(r, number+100+i)...)
	}
	return next
}

// weeks writes n random weeks.
func weeks(t testing.TB, seed uint64, n int) (paths []string) {
	t.Helper()
	r, dir := rand.New(rand.NewPCG(21, seed)), t.TempDir()
	var week []row
	for i := range 150 {
		week = append(week, support(r, 1000+i)...)
	}
	for i := range n {
		if i > 0 {
			week = nextWeek(r, week, 2000+200*i)
		}
		date := fmt.Sprintf("2026-%02d-%02d", 3+i/4, 1+7*(i%4))
		text := header
		for k := range week {
			text += week[k].text(k+1, date)
		}
		path := filepath.Join(dir, "observatoire_"+date+".csv")
		filetest.Write(t, path, text)
		paths = append(paths, path)
	}
	return paths
}

// randomPairs returns pairs of numbers below n, the smaller one first.
func randomPairs(n, pairs int) (list [][2]int) {
	r := rand.New(rand.NewPCG(21, 0))
	for len(list) < pairs {
		a, b := r.IntN(n), r.IntN(n)
		if p := [2]int{min(a, b), max(a, b)}; a != b && (n*(n-1)/2 < pairs || !slices.Contains(list, p)) {
			list = append(list, p)
		}
	}
	return list
}

// TestMade compares weeks of random changes, with rows that are not served, that repeat, and that
// disagree about the position of their support. The order in which the weeks are added is random.
func TestMade(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			paths := weeks(t, seed, 7)
			order := slices.Clone(paths)
			r := rand.New(rand.NewPCG(21, seed))
			r.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
			for range 3 { // again, in place of themselves
				order = append(order, paths[r.IntN(len(paths))])
			}
			mustAgree(t, archives(t, order...), paths, randomPairs(len(paths), 4))
		})
	}
}
