package ingest

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"relais/market"
)

// A columnsCase is a table as its authority publishes it, and what the contract of its
// columns is.
type columnsCase struct {
	file, header, rows string
	required           []string // a table without one of them is refused
	read               []string // of the others, those that mean something: two of them are refused
	filled             []string // required ones that may be empty: something else says it
	guarded            []string // without their content an enrichment would be lost
}

// observatoryHeader is the header of the publication of 2026-08-27.
const observatoryHeader = "id;adm_lb_nom;sup_id;emr_lb_systeme;emr_dt;sta_nm_dpt;code_insee;generation;date_maj;sta_nm_anfr;nat_id;sup_nm_haut;tpo_id;adr_lb_lieu;adr_lb_add1;adr_lb_add2;adr_lb_add3;adr_nm_cp;com_cd_insee;coordonnees;coord;statut"

var columnsCases = []columnsCase{
	{
		file: "observatoire_2026-08-27.csv", header: observatoryHeader,
		rows: "1;SFR;100;LTE 800;2016-01-02;003;03001;4G;2026-08-27T10:00:00;0032700001;23;20;72;LIEU;rue;;;03110;03001;46.5 , 3.1;46°30'00''N 3°06'00''E;En service\n" +
			"2;ORANGE;101;LTE 700;2016-01-02;003;03001;4G;2026-08-27T10:00:00;0032700002;23;20;72;LIEU;rue;a;b;03110;03001;46.6 , 3.1;46°36'00''N 3°06'00''E;En service\n",
		required: []string{"adm_lb_nom", "sup_id", "emr_lb_systeme", "generation", "sta_nm_anfr", "coordonnees", "statut"},
		read:     []string{"emr_dt", "sta_nm_dpt", "code_insee", "date_maj", "nat_id", "sup_nm_haut", "tpo_id", "adr_lb_lieu", "adr_lb_add1", "adr_lb_add2", "adr_lb_add3", "adr_nm_cp", "com_cd_insee", "coord"},
		filled:   []string{"coordonnees"},
	},
	{
		file:     "SUP_SUPPORT.txt",
		header:   "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU;ADR_LB_ADD1;ADR_LB_ADD2;ADR_LB_ADD3;ADR_NM_CP;COM_CD_INSEE",
		rows:     "100;0032700001;11;46;30;0;N;3;6;0;E;99;21;;;;;03110;03001\n",
		required: []string{"SUP_ID", "STA_NM_ANFR", "COR_NB_DG_LAT", "COR_NB_MN_LAT", "COR_CD_EW_LON"},
		read:     []string{"NAT_ID", "SUP_NM_HAUT", "TPO_ID"},
		filled:   []string{"STA_NM_ANFR", "COR_NB_DG_LAT", "COR_NB_MN_LAT", "COR_CD_EW_LON"}, // by them the table is known, and no more
	},
	{
		file: "SUP_STATION.txt", header: "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE",
		rows:     "0032700001;1;1;05/06/2012;;07/08/2013\n",
		required: []string{"STA_NM_ANFR", "DTE_IMPLANTATION", "DTE_EN_SERVICE"},
		read:     []string{"ADM_ID", "DEM_NM_COMSIS", "DTE_MODIF"},
		filled:   []string{"DTE_IMPLANTATION", "DTE_EN_SERVICE"}, // either of them
	},
	{
		file: "SUP_ANTENNE.txt", header: "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_DIMENSION;AER_FG_RAYON;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID",
		rows:     "0032700001;1;21;2,1;D;90;24,5;100\n0032700002;2;21;2,1;D;120;24,5;101\n",
		required: []string{"STA_NM_ANFR", "AER_ID", "TAE_ID", "AER_NB_AZIMUT", "SUP_ID"},
		read:     []string{"AER_NB_DIMENSION", "AER_FG_RAYON", "AER_NB_ALT_BAS"},
		filled:   []string{"TAE_ID"}, guarded: []string{"AER_NB_AZIMUT"},
	},
	{
		file: "SUP_EMETTEUR.txt", header: "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE",
		rows:     "3;LTE 800;0032700001;1;02/01/2016\n",
		required: []string{"EMR_ID", "EMR_LB_SYSTEME", "STA_NM_ANFR", "AER_ID"},
		read:     []string{"EMR_DT_SERVICE"},
	},
	{
		file: "SUP_BANDE.txt", header: "STA_NM_ANFR;BAN_ID;EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE",
		rows:     "0032700001;1;3;801;811;M\n",
		required: []string{"EMR_ID", "BAN_NB_F_DEB", "BAN_NB_F_FIN", "BAN_FG_UNITE"},
		read:     []string{"STA_NM_ANFR", "BAN_ID"},
	},
	{
		file: "arcep.csv", header: "code_op;nom_op;num_site;id_site_partage;id_station_anfr;x;y;latitude;longitude;nom_reg;nom_dep;insee_dep;nom_com;insee_com;site_2g;site_3g;site_4g;site_5g",
		rows:     "20810;SFR;S1;;0032700001;1;2;46.5;3.1;R;D;03;C;03001;1;1;1;0\n",
		required: []string{"code_op", "num_site", "id_station_anfr"},
		read:     []string{"id_site_partage", "insee_com", "nom_op", "nom_com"},
		filled:   []string{"code_op"},
	},
}

// changed makes a table whose column at has another name, is not there, is there twice,
// or has nothing in it.
func (c *columnsCase) changed(how string, at int) string {
	var lines []string
	for i, line := range strings.Split(strings.TrimSpace(c.header+"\n"+c.rows), "\n") {
		fields := strings.Split(line, ";")
		switch {
		case how == "renamed" && i == 0:
			fields[at] = "renamed_column"
		case how == "dropped":
			fields = slices.Delete(fields, at, at+1)
		case how == "doubled":
			fields = append(fields, fields[at])
		case how == "emptied" && i > 0:
			fields[at] = ""
		}
		lines = append(lines, strings.Join(fields, ";"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// refused reports whether a table that was changed like this must be refused.
func (c *columnsCase) refused(how, column string) bool {
	required := slices.Contains(c.required, column)
	switch how {
	case "doubled":
		return required || slices.Contains(c.read, column)
	case "emptied":
		return required && !slices.Contains(c.filled, column)
	}
	return required
}

// Each column of each French table is renamed, dropped, doubled and emptied while the
// sources of a good ingest are kept. The table is refused with the column named, and
// nothing in the folder changes, or all sites are served.
func TestColumns(t *testing.T) {
	base := newKit(t)
	var paths []string
	for _, c := range columnsCases {
		paths = append(paths, base.file(c.file, c.header+"\n"+c.rows))
	}
	base.must(paths...)
	if n := base.snapshot(market.FR).Len(); n != 2 {
		t.Fatalf("%d sites", n)
	}
	for _, c := range columnsCases {
		for at, column := range strings.Split(c.header, ";") {
			if testing.Short() && at%5 > 0 {
				continue
			}
			for _, how := range []string{"renamed", "dropped", "doubled", "emptied"} {
				t.Run(c.file+"/"+column+" "+how, func(t *testing.T) {
					k := newKit(t)
					if err := os.CopyFS(string(k.dir), os.DirFS(string(base.dir))); err != nil {
						t.Fatal(err)
					}
					before := k.state()
					r, err := k.run(false, both, k.file(c.file, c.changed(how, at)))
					if how == "emptied" && slices.Contains(c.guarded, column) {
						if err == nil || !strings.Contains(err.Error(), "would be lost") {
							t.Errorf("not guarded: %v", err)
						}
						return
					}
					if c.refused(how, column) {
						if err == nil || !strings.Contains(err.Error(), "the column "+column+" ") || !strings.Contains(err.Error(), c.file) {
							t.Errorf("not refused with the column: %v", err)
						}
						if !maps.Equal(k.state(), before) {
							t.Error("the folder has changed")
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if n := k.snapshot(market.FR).Len(); n != 2 {
						t.Errorf("%d sites", n)
					}
					for _, f := range r.Files {
						if f.Served != f.Rows {
							t.Errorf("%s: %d of %d rows served: %v", f.Path, f.Served, f.Rows, f.Rejected)
						}
					}
				})
			}
		}
	}
}
