package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A publication is the rows of an observatoire by their columns.
type publication struct {
	date string
	rows []map[string]string
}

var observatoryColumns = strings.Split(
	"id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;"+
		"adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut", ";")

// text is the publication as the ANFR writes it, with more columns behind its own.
func (p *publication) text(more ...string) string {
	columns := slices.Concat(observatoryColumns, more)
	var text strings.Builder
	text.WriteString("\ufeff" + strings.Join(columns, ";") + "\n")
	for i, row := range p.rows {
		for at, c := range columns {
			value := row[c]
			switch c {
			case "id":
				value = fmt.Sprint(i + 1)
			case "date_maj":
				value = p.date + "T00:00:00"
			}
			if strings.ContainsAny(value, `,;"`) {
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			if at > 0 {
				text.WriteByte(';')
			}
			text.WriteString(value)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// write writes the publication.
func (p *publication) write(t *testing.T) string {
	t.Helper()
	return writeFile(t, "observatoire.csv", p.text())
}

const project = "Projet approuvé"

// newSupport makes a support with some of an operator's emissions.
func newSupport(r *rand.Rand, id int) (rows []map[string]string) {
	where := fmt.Sprintf("%d.%06d , %d.25", 43+id%5, id, id%7)
	for i := range 1 + r.IntN(4) {
		rows = append(rows, map[string]string{
			"adm_lb_nom":     []string{"ORANGE", "SFR", "BOUYGUES TELECOM", "FREE MOBILE", "UTS Caraibes"}[r.IntN(5)],
			"sup_id":         fmt.Sprint(id),
			"emr_lb_systeme": []string{"LTE 800", "5G NR 3500", "UMTS 900", "GSM 900"}[i],
			"emr_dt":         []string{"", "2021-03-04"}[r.IntN(2)],
			"sta_nm_dpt":     []string{"001", "02A", "974"}[id%3],
			"code_insee":     []string{"01004", "2A004", "97411"}[id%3],
			"generation":     []string{"4G", "5G", "3G", "2G"}[i],
			"sta_nm_anfr":    fmt.Sprintf("%03d227%04d", id%95, id), "nat_id": "11",
			"sup_nm_haut": []string{"27,2", "30"}[r.IntN(2)], "tpo_id": "7",
			"adr_lb_lieu": "Le Gué d'Œuf", "adr_lb_add1": `3 rue "des Prés"`, "adr_nm_cp": "01500",
			"com_cd_insee": "01004",
			"coordonnees":  where, "coord": `46°10'39''N 4°18'2''E`,
			"statut": []string{"En service", "Techniquement opérationnel", project}[r.IntN(3)],
		})
	}
	return rows
}

// next is what a week may do to a publication: each of the changes that the API tells
// apart, and those that it does not tell.
func (p *publication) next(r *rand.Rand, date string, newest int) *publication {
	n := &publication{date: date}
	for _, old := range p.rows {
		row := maps.Clone(old)
		switch r.IntN(30) {
		case 0: // gone
			continue
		case 1: // another row of the support
			added := maps.Clone(row)
			added["emr_lb_systeme"], added["statut"] = "LTE 7"+date[8:], project
			n.rows = append(n.rows, added)
		case 2: // not told: neither its height nor its address are
			row["sup_nm_haut"], row["adr_lb_add3"] = "31,5", date
		case 3: // not told: the same row on another support
			row["sup_id"] = fmt.Sprint(newest + 5000)
		case 4: // another operator's: gone, and added
			row["adm_lb_nom"] = "Nouveau " + date
		case 5:
			row["statut"] = project
		}
		if row["statut"] == project && r.IntN(4) == 0 {
			row["statut"] = "En service"
		}
		n.rows = append(n.rows, row)
	}
	for i := range 4 {
		n.rows = append(n.rows, newSupport(r, newest+i)...)
	}
	return n
}

// publications are of four weeks, the last one not yet added.
func publications() (list []*publication) {
	r := rand.New(rand.NewPCG(26, 8))
	p := &publication{date: "2026-07-30"}
	for id := range 120 {
		p.rows = append(p.rows, newSupport(r, 1000+id)...)
	}
	list = append(list, p)
	for i, date := range []string{"2026-08-06", "2026-08-13", "2026-08-20"} {
		p = p.next(r, date, 2000+1000*i)
		list = append(list, p)
	}
	return list
}

func keyOf(row map[string]string) [3]string {
	return [3]string{row["sta_nm_anfr"], row["adm_lb_nom"], row["emr_lb_systeme"]}
}

func (p *publication) byKey() map[[3]string]map[string]string {
	m := map[[3]string]map[string]string{}
	for _, row := range p.rows {
		m[keyOf(row)] = row
	}
	return m
}

// record is a row as the API shows it.
func (p *publication) record(at int, kind string) object {
	o := object{"city": ""}
	for _, c := range observatoryColumns {
		o[c] = p.rows[at][c]
	}
	o["id"], o["date_maj"] = fmt.Sprint(at+1), p.date
	lat, lon, _ := strings.Cut(p.rows[at]["coordonnees"], ",")
	o["lat"], o["lon"] = strings.TrimSpace(lat), strings.TrimSpace(lon)
	if kind != "" {
		o["type"] = kind
	}
	return o
}

// changed are the differences of two sets of rows by key, and what each is called.
// before nil: all rows are new.
func (p *publication) changed(before *publication) (records []object, kinds map[[3]string]string) {
	kinds = map[[3]string]string{}
	old, supports, now := map[[3]string]map[string]string{}, map[string]bool{}, p.byKey()
	if before != nil {
		old = before.byKey()
		for i, row := range before.rows {
			supports[row["sup_id"]] = true
			if now[keyOf(row)] == nil {
				records = append(records, before.record(i, "deleted"))
			}
		}
	}
	for i, row := range p.rows {
		kind := ""
		was := old[keyOf(row)]
		switch {
		case was == nil && supports[row["sup_id"]]:
			kind = "added"
		case was == nil:
			kind = "new"
		case was["statut"] == project && row["statut"] != project:
			kind = "activated"
		}
		if kind != "" {
			kinds[keyOf(row)] = kind
			records = append(records, p.record(i, kind))
		}
	}
	return records, kinds
}

// counted is how many records there are of each type.
func counted(records []object) map[string]int {
	n := map[string]int{"new": 0, "added": 0, "activated": 0, "deleted": 0}
	for _, r := range records {
		n[r["type"].(string)]++
	}
	return n
}

// bySupport lists records as texts, those of each support in order.
func bySupport(records []object) map[string][]string {
	m := map[string][]string{}
	for _, r := range records {
		text, _ := json.Marshal(r) // of texts
		id := r["sup_id"].(string)
		m[id] = append(m[id], string(text))
	}
	for _, texts := range m {
		slices.Sort(texts)
	}
	return m
}
