package demo

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// degrees formats seconds of arc as degrees with the authority's precision.
func degrees(seconds int) string { return strconv.FormatFloat(float64(seconds)/3600, 'g', -1, 64) }

func sexagesimal(seconds int, positive, negative string) string {
	side := positive
	if seconds < 0 {
		side, seconds = negative, -seconds
	}
	return fmt.Sprintf("%d°%d'%d''%s", seconds/3600, seconds/60%60, seconds%60, side)
}

// writeSites writes the regulator's list of sites: the operators' own names.
func writeSites(w io.Writer, c []support) error {
	if _, err := fmt.Fprintln(w,
		"code_op;nom_op;num_site;id_site_partage;id_station_anfr;x;y;latitude;longitude;nom_reg;nom_dep;insee_dep;nom_com;insee_com;"+
			"site_2g;site_3g;site_4g;site_5g;mes_4g_trim;site_ZB;site_DCC;site_strategique;site_capa_240mbps;date_ouverturecommerciale_5g;"+
			"site_5g_700_m_hz;site_5g_800_m_hz;site_5g_1800_m_hz;site_5g_2100_m_hz;site_5g_3500_m_hz"); err != nil {
		return err
	}
	for i := range c {
		s := &c[i]
		for _, sta := range s.stations {
			partner := ""
			if s.id%40 == 0 {
				partner = fmt.Sprintf("ZPG_%d", s.id)
			}
			if _, err := fmt.Fprintf(w, "%s;%s;D%s_%d;%s;%s;;;%s;%s;;;%s;%s;%s;1;1;1;1;0;0;0;0;1;;0;0;0;0;0\n",
				sta.operator.plmn, sta.operator.name, sta.operator.holder, s.id-firstSupport+1, partner, sta.number,
				degrees(s.lat), degrees(s.lng), strings.TrimLeft(s.town.department, "0"), s.town.name,
				s.town.insee); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeNodes writes the base stations' identifiers.
func writeNodes(w io.Writer, c []support) error {
	if _, err := fmt.Fprintln(w, "4G;999;99;0;0000;0;-1;0.0;0.0;sentinel"); err != nil {
		return err
	}
	for i := range c {
		s := &c[i]
		for _, sta := range s.stations {
			node := s.node()
			for _, g := range []string{"4G", "5G"} {
				if !sta.has(g) {
					continue
				}
				mnc := strings.TrimLeft(sta.operator.plmn[3:], "0")
				if mnc == "" {
					mnc = "0"
				}
				if _, err := fmt.Fprintf(w, "%s;%s;%s;0;%d;%d;%d;%s;%s;%s\n", g, sta.operator.plmn[:3], mnc,
					1000+len(s.town.name), node, s.id, dotted(s.lat), dotted(s.lng), s.town.name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// dotted formats seconds of arc as degrees with six decimals.
func dotted(seconds int) string { return strconv.FormatFloat(float64(seconds)/3600, 'f', 6, 64) }

func (s *station) has(generation string) bool {
	for _, x := range s.systems {
		if x.generation == generation {
			return true
		}
	}
	return false
}

// writeCommunes writes the towns as La Poste lists communes.
func writeCommunes(w io.Writer, towns []*town) error {
	if _, err := fmt.Fprintln(w,
		"Code_commune_INSEE;Nom_commune;Code_postal;Ligne_5;Libellé_d_acheminement;coordonnees_gps"); err != nil {
		return err
	}
	for _, t := range towns {
		if _, err := fmt.Fprintf(w, "%s;%s;%s;;%s;%g,%g\n", t.insee, t.name, t.postal, strings.ToUpper(t.name),
			t.centre.Lat, t.centre.Lng); err != nil {
			return err
		}
	}
	return nil
}
