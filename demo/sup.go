package demo

import (
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zip"
)

// bands has the downlink of each band and, if it is paired, its uplink, MHz.
var bands = map[string][][2]float64{
	"700": {{758, 768}, {703, 713}}, "800": {{791, 801}, {832, 842}}, "900": {{925.1, 935.1}, {880.1, 890.1}},
	"1800": {{1805, 1825}, {1710, 1730}}, "2100": {{2110.5, 2125.3}, {1920.5, 1935.3}},
	"2600": {{2620, 2635}, {2500, 2515}}, "3500": {{3490, 3580}},
}

// writeSUP writes the monthly tables as one zip archive.
func writeSUP(w io.Writer, c []support) error {
	z := zip.NewWriter(w)
	for _, t := range []struct {
		name, header string
		rows         func(*tables, io.Writer, *support) error
	}{
		{"SUP_SUPPORT.txt", "SUP_ID;STA_NM_ANFR;NAT_ID;COR_NB_DG_LAT;COR_NB_MN_LAT;COR_NB_SC_LAT;COR_CD_NS_LAT;COR_NB_DG_LON;COR_NB_MN_LON;COR_NB_SC_LON;" +
			"COR_CD_EW_LON;SUP_NM_HAUT;TPO_ID;ADR_LB_LIEU;ADR_LB_ADD1;ADR_LB_ADD2;ADR_LB_ADD3;ADR_NM_CP;COM_CD_INSEE",
			(*tables).supports},
		{"SUP_STATION.txt", "STA_NM_ANFR;ADM_ID;DEM_NM_COMSIS;DTE_IMPLANTATION;DTE_MODIF;DTE_EN_SERVICE",
			(*tables).stations},
		{"SUP_ANTENNE.txt", "STA_NM_ANFR;AER_ID;TAE_ID;AER_NB_DIMENSION;AER_FG_RAYON;AER_NB_AZIMUT;AER_NB_ALT_BAS;SUP_ID", (*tables).antennas},
		{"SUP_EMETTEUR.txt", "EMR_ID;EMR_LB_SYSTEME;STA_NM_ANFR;AER_ID;EMR_DT_SERVICE", (*tables).emitters},
		{"SUP_BANDE.txt", "STA_NM_ANFR;BAN_ID;EMR_ID;BAN_NB_F_DEB;BAN_NB_F_FIN;BAN_FG_UNITE", (*tables).bands},
	} {
		member, err := z.Create(t.name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(member, "%s\r\n", t.header); err != nil {
			return err
		}
		var n tables
		for i := range c {
			if err := t.rows(&n, member, &c[i]); err != nil {
				return err
			}
		}
	}
	return z.Close()
}

// tables counts the identifiers of the tables.
type tables struct{ antenna, emitter, band int }

func (t *tables) supports(w io.Writer, s *support) error {
	for _, sta := range s.stations {
		if _, err := fmt.Fprintf(w, "%d;%s;%d;%s;%s;%d;%d;%s;%s;;;%s;%s\r\n", s.id, sta.number, s.nature,
			columns(s.lat, "N", "S"), columns(s.lng, "E", "W"), s.height, s.owner, s.lieu, s.address, s.town.postal,
			s.town.insee); err != nil {
			return err
		}
	}
	return nil
}

func columns(seconds int, positive, negative string) string {
	side := positive
	if seconds < 0 {
		side, seconds = negative, -seconds
	}
	return fmt.Sprintf("%d;%d;%d;%s", seconds/3600, seconds/60%60, seconds%60, side)
}

func (t *tables) stations(w io.Writer, s *support) error {
	for _, sta := range s.stations {
		first := "2010-06-15"
		for _, x := range sta.systems {
			if x.on != "" && x.on < first {
				first = x.on
			}
		}
		if _, err := fmt.Fprintf(w, "%s;;%d;%s;;%s\r\n", sta.number, s.id, slashed(first), slashed(first)); err != nil {
			return err
		}
	}
	return nil
}

// slashed writes a date as DD/MM/YYYY.
func slashed(day string) string {
	if day == "" {
		return ""
	}
	return day[8:] + "/" + day[5:7] + "/" + day[:4]
}

const sectors = 3

// eachAntenna numbers the antennas of a support: the sectors of each station,
// then its dish. SFR and Bouygues stations that share their panels declare the
// same numbers.
func (t *tables) eachAntenna(s *support, f func(sta *station, number, azimuth int, kind string) error) error {
	panels := 0
	for i := range s.stations {
		sta := &s.stations[i]
		pair := sta.operator.name == "SFR" || sta.operator.name == "BOUYGUES TELECOM"
		first, kind := t.antenna+1, "21"
		if pair && s.sharedPanel && panels > 0 {
			first = panels
		} else {
			t.antenna += sectors
		}
		if pair {
			panels = first
			if s.ranShared {
				kind = "75"
			}
		}
		for k := range sectors {
			if err := f(sta, first+k, (sta.azimuth+120*k)%360, kind); err != nil {
				return err
			}
		}
		if sta.dish {
			t.antenna++
			if err := f(sta, t.antenna, sta.azimuth, "17"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tables) antennas(w io.Writer, s *support) error {
	return t.eachAntenna(s, func(sta *station, number, azimuth int, kind string) error {
		text := fmt.Sprint(azimuth)
		switch {
		case s.directions() == unstated:
			text = ""
		case azimuth == 0:
			text = "360" // like many rows of the authority
		}
		_, err := fmt.Fprintf(w, "%s;%d;%s;2,1;D;%s;%d,5;%d\r\n", sta.number, number, kind, text, max(0, s.height-2),
			s.id)
		return err
	})
}

// eachEmitter numbers the emitters: a system on each sector.
func (t *tables) eachEmitter(s *support, f func(sta *station, antenna int, x system) error) error {
	return t.eachAntenna(s, func(sta *station, number, _ int, kind string) error {
		list := sta.systems
		switch {
		case kind == "17":
			list = []system{{name: "FH 18 GHz"}}
		case s.directions() == ofStations:
			list = nil
		}
		for _, x := range list {
			t.emitter++
			if err := f(sta, number, x); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tables) emitters(w io.Writer, s *support) error {
	return t.eachEmitter(s, func(sta *station, antenna int, x system) error {
		_, err := fmt.Fprintf(w, "%d;%s;%s;%d;%s\r\n", t.emitter, x.name, sta.number, antenna, slashed(x.on))
		return err
	})
}

func (t *tables) bands(w io.Writer, s *support) error {
	return t.eachEmitter(s, func(sta *station, _ int, x system) error {
		for _, b := range bands[x.name[strings.LastIndexByte(x.name, ' ')+1:]] {
			t.band++
			if _, err := fmt.Fprintf(w, "%s;%d;%d;%s;%s;M\r\n", sta.number, t.band, t.emitter, comma(b[0]),
				comma(b[1])); err != nil {
				return err
			}
		}
		return nil
	})
}

func comma(x float64) string { return strings.ReplaceAll(fmt.Sprint(x), ".", ",") }
