package anfr

import (
	"bytes"
	"path/filepath"
	"testing"

	"relais/ingest/source"
	"relais/internal/filetest"
	"relais/market"
	"relais/snapshot"
)

// FuzzBuild puts any bytes in the place of each kind of file.
func FuzzBuild(f *testing.F) {
	f.Add(0, []byte(observatory))
	f.Add(1, []byte("STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID\n0032700002;7;21;360;24,5;100\n"))
	f.Add(2, []byte("EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE\n3;LTE 800;0032700002;7;\n"))
	f.Add(3, []byte("EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE\n3;801;811,2;M\n"))
	f.Add(10, []byte("code_op;nom_op;num_site;id_site_partage;id_station_anfr\n20810;SFR;1;;0032700002\n"))
	f.Add(13, []byte("4G;208;10;0;1;1009;100;46.1;3.3;X\n"))
	dir := f.TempDir()
	base := source.Found{Input: &source.Input{Path: filepath.Join(dir, "base.csv")}, Kind: Kinds[0]}
	antennas := source.Found{Input: &source.Input{Path: filepath.Join(dir, "antennas.csv")}, Kind: Kinds[1]}
	for path, text := range map[string]string{base.Path: observatory,
		antennas.Path: "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID\n0032700002;7;21;360;24,5;100\n"} {
		filetest.Write(f, path, text)
	}
	markets := []*market.Market{market.Get(market.FR), market.Get(market.DROM)}
	f.Fuzz(func(t *testing.T, kind int, data []byte) {
		if kind < 0 || kind >= len(Kinds) || bytes.Count(data, []byte("\n")) > 2000 {
			return
		}
		path := filetest.New(t, "20260827.csv", data)
		files := []source.Found{{Input: &source.Input{Path: path}, Kind: Kinds[kind]}}
		if kind != 0 {
			files = append(files, base)
		}
		if kind > 1 {
			files = append(files, antennas)
		}
		builders, reports, err := Build(files, markets, nil)
		if err != nil {
			return
		}
		emissions, served := 0, 0
		for _, b := range builders {
			emissions += b.Emissions()
			if b.Len() > 0 {
				path := filepath.Join(t.TempDir(), "x.snap")
				if _, err := b.Write(path); err != nil {
					t.Fatal(err)
				}
				if s, err := snapshot.ReadFile(path, b.Market); err != nil || s.Len() != b.Len() ||
					s.Emissions() != b.Emissions() {
					t.Errorf("%d sites with %d emissions do not come back: %v; want no error, s.Len() = b.Len(), "+
						"s.Emissions() = b.Emissions()", b.Len(), b.Emissions(), err)
				}
			}
		}
		for _, r := range reports {
			if r.Served < 0 || r.Served > r.Rows {
				t.Errorf("%s: %d of %d rows served; want r.Served >= 0, r.Served <= %v", r.Kind, r.Served, r.Rows,
					r.Rows)
			}
			if r.Kind == Observatory {
				served = r.Served
			}
		}
		if emissions != served {
			t.Errorf("%d emissions of %d served rows, want %d", emissions, served, served)
		}
	})
}
