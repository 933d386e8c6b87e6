package spelling

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"relais/internal/fold"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		l          Language
		text, want string
	}{
		{French, "CLEUNAY, 7 B RUE ROGER HENRI GUERRAND", "Cleunay, 7 B rue Roger Henri Guerrand"},
		{French, "7BIS RUE DU GENERAL DE GAULLE", "7bis rue du Général de Gaulle"},
		{French, "METRO REPUBLIQUE L8", "Métro République L8"},
		{French, "11 PL DE LA REPUBLIQUE", "11 place de la République"},
		{French, "CHATEAU D EAU", "Château d'Eau"},
		{French, "RUE DE L'EGLISE", "Rue de l'Église"},
		{French, "L ABERGEMENT", "L'Abergement"},
		{French, "AV DE LA FALAISE", "Avenue de la Falaise"},
		{French, "RUE LOUIS XIV", "Rue Louis XIV"},
		{French, "RD 75", "RD 75"},
		{French, "ZI DU PRE, D925", "ZI du Pré, D925"},
		{French, "PYLONE TDF - LE MONT BLANCHIN", "Pylône TDF - Le Mont Blanchin"},
		{French, "12 BD ST MICHEL", "12 boulevard Saint Michel"},
		{French, "1ER ETAGE", "1er Étage"},
		{French, "JEAN-PAUL II", "Jean-Paul II"},
		{French, "SITE RTE", "Site RTE"},
		{French, "rte de vendat", "rte de vendat"},
		{French, "Vallée du Génie", "Vallée du Génie"},
		{French, "", ""},
		{French, "12", "12"},
		{Any, "RUE DE L EGLISE 4", "Rue de L Eglise 4"},
		{Any, "5251 DUKE STREET, TORONTO, ON", "5251 Duke Street, Toronto, ON"},
		{Any, "ZÜRICH", "Zürich"},
		{Any, "Rue du Théâtre", "Rue du Théâtre"},
	} {
		if got := Text(c.text, c.l); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCommune(t *testing.T) {
	for _, c := range []struct {
		l                Language
		name, code, want string
	}{
		{French, "ST JACQUES DE LA LANDE", "35281", "Saint-Jacques-de-la-Lande"},
		{French, "PARIS 07", "75107", "Paris 7e"},
		{French, "MARSEILLE 01", "13201", "Marseille 1er"},
		{French, "BREAL SOUS VITRE", "", "Bréal-sous-Vitré"},
		{French, "L ABERGEMENT CLEMENCIAT", "", "L'Abergement-Clémenciat"},
		{French, "ABBECOURT", "02001", "Abbécourt"},
		{French, "ABBECOURT", "60002", "Abbecourt"},
		{French, "ABBECOURT", "", "Abbecourt"}, // which of the two is not known
		{French, "COMMUNE NOUVELLE D ARROU", "", "Commune Nouvelle d'Arrou"},
		{French, "Échirolles", "", "Échirolles"},
		{Any, "RENNES", "", "Rennes"},
		{Any, "LA CHAUX DE FONDS", "", "La Chaux de Fonds"},
	} {
		if got := Commune(c.name, c.code, c.l); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

// The program finds a name by the order of the folded names, which communes.mjs makes with folding of its own.
func TestOrder(t *testing.T) {
	keys := []string{}
	for _, line := range communes() {
		name, _, _ := strings.Cut(line, "\t")
		keys = append(keys, fold.String(name))
	}
	if len(keys) < 34_000 || !slices.IsSorted(keys) {
		t.Errorf("%d names, sorted %v: want all of France in order", len(keys), slices.IsSorted(keys))
	}
}

// La Poste writes what the register of France names communes after.
func TestLaPoste(t *testing.T) {
	f, err := os.Open("../../../shared/data/fr/laposte_hexasmal.csv")
	if err != nil {
		t.Skip("without La Poste's file:", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = ';'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 30_000 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	unlisted := 0
	for _, row := range rows[1:] {
		name := row[1]
		if town, _, ok := arrondissement(name); ok {
			name = town
		}
		if listed(name, row[0]) == "" {
			unlisted++
		}
		got := Commune(row[1], row[0], French)
		if capitals(got) && len(got) > 1 {
			t.Errorf("%q: got %q, want small letters", row[1], got)
		}
	}
	if unlisted > 200 {
		t.Errorf("INSEE does not name %d of %d communes of La Poste, want at most 200", unlisted, len(rows))
	}
}
