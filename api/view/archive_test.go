package view

import (
	"testing"

	"relais/archive"
	"relais/ingest/anfr/column"
)

// Where a support is comes from the first row that is still there; the name of its commune from
// the register of today, by either code.
func TestArchives(t *testing.T) {
	row := func(kind archive.Kind, id, insee, insee2, position string) archive.Record {
		r := archive.Record{Kind: kind}
		r.Values[column.ID], r.Values[column.Support], r.Values[column.Position] = id, "77", position
		r.Values[column.Insee], r.Values[column.Insee2] = insee, insee2
		return r
	}
	city := func(insee string) string { return map[string]string{"03258": "Saint-Rémy-en-Rollat"}[insee] }
	const rest = `"adm_lb_nom":"","emr_lb_systeme":"","statut":"","emr_dt":"","generation":"","date_maj":"","sta_nm_anfr":"",` +
		`"nat_id":"","sup_nm_haut":"","tpo_id":"","adr_lb_lieu":"","adr_lb_add1":"","adr_lb_add2":"","adr_lb_add3":"",` +
		`"adr_nm_cp":"","sta_nm_dpt":"",`
	for _, tt := range []struct {
		name string
		rows []archive.Record
		want string
	}{
		{"deleted, then there", []archive.Record{row(archive.Deleted, "1", "99999", "", "1.5, 2.5"),
			row(archive.New, "2", "", "03258", "46.17,3.37")},
			`"77":{"info":{"sup_id":"77","coordonnees":"46.17,3.37","lat":"46.17","lon":"3.37","city":"Saint-Rémy-en-Rollat"},"antennas":[` +
				`{"id":"1","sup_id":"77","coordonnees":"1.5, 2.5","coord":"","lat":"1.5","lon":"2.5","city":"",` + rest +
				`"code_insee":"99999","com_cd_insee":"","type":"deleted"},` +
				`{"id":"2","sup_id":"77","coordonnees":"46.17,3.37","coord":"","lat":"46.17","lon":"3.37","city":"Saint-Rémy-en-Rollat",` + rest +
				`"code_insee":"","com_cd_insee":"03258","type":"new"}]},`},
		{"only deleted", []archive.Record{row(archive.Deleted, "1", "", "", "")},
			`"77":{"info":{"sup_id":"77","coordonnees":"","lat":"","lon":"","city":""},"antennas":[` +
				`{"id":"1","sup_id":"77","coordonnees":"","coord":"","lat":"","lon":"","city":"",` + rest +
				`"code_insee":"","com_cd_insee":"","type":"deleted"}]},`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Archives(city)([]byte("{"), &archive.Site{ID: "77", Records: tt.rows})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != "{"+tt.want {
				t.Errorf("got\n%s\nwant\n{%s", got, tt.want)
			}
		})
	}
}
