package anfr

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"relais/market"
	"relais/site"
)

func TestOtherTables(t *testing.T) {
	sites, reports, _ := build(t, map[string]string{
		"o.csv": observatory,
		"sites.csv": "code_op;nom_op;num_site;id_site_partage;id_station_anfr;x;y;insee_com;nom_com\n20810;SFR;10235;ZPG_1;0032700002;1;2;03258;X\n" +
			"20820;Bouygues;T1;;0032750001;1;2;03258;X\n20820;Bouygues;T2;;0032750001;1;2;03258;X\n20801;Orange;R1;;;1;2;;\n20801;Orange;R1;;0032290999;1;2;;\n20801;Orange;;;02B2290164;1;2;;\n",
		"laposte.csv": "#Code_commune_INSEE;Nom_de_la_commune;Code_postal;Libell\xe9_d_acheminement;Ligne_5\n3258;ST REMY;03110;X;\n2B251;PIETRASERENA;20251;X;\n97411;ST DENIS;97400;X;\n01001;ELSEWHERE;01000;X;\n",
		"v_commune.csv": "TYPECOM,COM,REG,DEP,CTCD,ARR,TNCC,NCC,NCCENR,LIBELLE,CAN,COMPARENT\nCOM,03258,84,03,,,0,X,X,Saint-Rémy-en-Rollat,,\n" +
			"COMD,2B251,94,2B,,,0,X,X,Old name,,\nCANT,97411,94,2B,,,0,X,X,Canton,,\n",
		"nodes.ntm": "4G;999;99;0;0000;0;-1;0.0;0.0;sentinel\n4G;208;10;0;1;1009;100;46.1;3.3;X\n5G;208;10;0;1;1009;100;46.1;3.3;X\n4G;208;10;0;1;1009;100;46.1;3.3;X\n" +
			"4G;208;20;0;1;2000000;100;46.1;3.3;X\n4G;208;15;0;1;5;100;46.1;3.3;X\n4G;208;1;0;1;77;300;-20.9;55.4;X\n4G;647;0;0;1;78;300;-20.9;55.4;X\n4G;208;10;0;1;9;-1;46.1;3.3;X\n3G;208;10;0;1;9;100;46.1;3.3;X\n4G;310;10;0;1;9;100;46.1;3.3;X\n4G;208;10;0;1;9;4711;46.1;3.3;X\n",
		"crozon.csv": "sup_id,leader\n100,bouygues\n100,NOBODY\n100,ORANGE\n4711,SFR\n",
		"nature.txt": "NAT_ID;NAT_LB_NOM\r\n23;Pylône neuf\r\n85;Balcon\r\n23;\r\n",
		"owner.txt":  "TPO_ID;TPO_LB\r\n72;Nouveau propri\xe9taire\r\n",
	}, market.FR, market.DROM)
	s := sites["100"]
	if s.Commune != "Saint-Rémy-en-Rollat" || sites["200"].Commune != "PIETRASERENA" ||
		sites["300"].Commune != "ST DENIS" {
		t.Errorf(`communes %q, %q, %q; want s.Commune = "Saint-Rémy-en-Rollat", sites["200"].Commune = `+
			`"PIETRASERENA", sites["300"].Commune = "ST DENIS"`, s.Commune, sites["200"].Commune, sites["300"].Commune)
	}
	if s.Stations[0].OperatorSiteID != "10235" || s.Stations[1].OperatorSiteID != "T1" || !s.SharedRadio || s.Crozon ||
		sites["200"].SharedRadio {
		t.Errorf(`stations %+v, shared %v, crozon %v; want s.Stations[0].OperatorSiteID = "10235", `+
			`s.Stations[1].OperatorSiteID = "T1", s.SharedRadio, !s.Crozon, !sites["200"].SharedRadio`, s.Stations,
			s.SharedRadio, s.Crozon)
	}
	if diff := cmp.Diff([]site.RadioID{{Kind: site.ENB, Operator: 0, Value: 1009},
		{Kind: site.GNB, Operator: 0, Value: 1009}}, s.Radio); diff != "" {
		t.Errorf("radio (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]site.RadioID{{Kind: site.ENB, Operator: 0, Value: 77},
		{Kind: site.ENB, Operator: 0, Value: 78}}, sites["300"].Radio); diff != "" {
		t.Errorf("radio overseas (-want +got)\n%s", diff)
	}
	if s.CrozonLeader != "BOUYGUES" || s.Nature.Label != "Pylône neuf" || sites["200"].Nature.Label != "Balcon" ||
		s.Owner.Label != "Nouveau propriétaire" {
		t.Errorf(`leader %q, nature %q, %q, owner %q; want s.CrozonLeader = "BOUYGUES", s.Nature.Label = "Pylône `+
			`neuf", sites["200"].Nature.Label = "Balcon", s.Owner.Label = "Nouveau propriétaire"`, s.CrozonLeader,
			s.Nature.Label, sites["200"].Nature.Label, s.Owner.Label)
	}
	for _, tt := range []struct {
		kind string
		want map[string]int
	}{
		{kindArcepSites, map[string]int{"station has another site id already": 1, "no station number": 1,
			"station not served": 1, "no site id of the operator": 1}},
		{kindLaPoste, map[string]int{"no site in the commune": 1}},
		{kindInsee, map[string]int{"not a commune": 1}},
		{kindRadioNodes, map[string]int{"sentinel": 1, "node number out of range": 1, "operator not on the support": 1,
			"no support named":                      1,
			"no node identifier in this generation": 1, "unknown network": 1, "support not served": 1}},
		{kindLeaders, map[string]int{"not an operator of the Crozon agreement": 2, "support not served": 1}},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, reports[tt.kind].Rejected); diff != "" {
				t.Errorf("%s: rejected (-want +got)\n%s", tt.kind, diff)
			}
		})
	}
}

func TestKinds(t *testing.T) {
	for _, tt := range []struct{ kind, head string }{
		{Observatory, header},
		{kindSupports, "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_NM_CP;COM_CD_INSEE\n"},
		{kindAntennaTypes, "TAE_ID;TAE_LB\r\n"},
		{kindLicensees, "ADM_ID;ADM_LB_NOM\r\n"},
		{kindArcepSites, "code_op;nom_op;num_site;id_site_partage;id_station_anfr;x\n"},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			found := files(t, map[string]string{"anything": tt.head})
			if found[0].Kind.Name != tt.kind {
				t.Errorf("%s is taken for %s, want %s", tt.kind, found[0].Kind.Name, tt.kind)
			}
		})
	}
	for _, tt := range []struct{ text, slot string }{
		{"20801;Orange;1;;0012290001\n", "metropole"},
		{"34001;Orange;1;;9712290001\n", "outremer"},
		{"20801;Orange;1;;9742290001\n", "outremer"},
		{"34001;Orange;1;;\n", "outremer"},
		{"20801;Orange;1;;\n", "metropole"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if f := files(t, map[string]string{"s.csv": "code_op;nom_op;num_site;id_site_partage;id_station_anfr\n" +
				tt.text}); f[0].Slot != tt.slot {
				t.Errorf("%q stands in slot %q, want %q", tt.text, f[0].Slot, tt.slot)
			}
		})
	}
}

func TestParseFixed(t *testing.T) {
	for _, tt := range []struct {
		in     string
		digits int
		want   int64
		ok     bool
	}{
		{"27,2", 3, 27200, true}, {"27.2", 0, 27, true}, {"27,5", 0, 28, true}, {"-0,5", 0, -1, true},
		{"46.177499999999995", 7, 461775000, true},
		{"1,805e+06", 3, 1805000000, true}, {"2e-3", 6, 2000, true}, {"0", 3, 0, true}, {"00012", 1, 120, true},
		{".5", 1, 5, true}, {"5.", 1, 50, true},
		{"", 3, 0, false}, {"-", 3, 0, false}, {".", 1, 0, false}, {"1,2,3", 1, 0, false}, {"1 2", 1, 0, false},
		{"0x10", 1, 0, false}, {"NaN", 1, 0, false}, {"Inf", 1, 0, false},
		{"99999999999999999999", 0, 0, false}, {"1e99", 0, 0, false}, {"1e", 0, 0, false}, {"９", 0, 0, false},
		{"1" + strings.Repeat("0", 400), 0, 0, false},
	} {
		if got, ok := parseFixed([]byte(tt.in), tt.digits); ok != tt.ok || ok && got != tt.want {
			t.Errorf("parseFixed(%q, %d) = %d, %v; want %d, %v", tt.in, tt.digits, got, ok, tt.want, tt.ok)
		}
	}
}
