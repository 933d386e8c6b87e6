package spelling

import "testing"

// The lines are from the observatoire, or as it writes them.
func TestStreet(t *testing.T) {
	for _, tt := range []struct {
		line string
		lang Language
		want string
	}{
		{"rte de vendat", French, "Route de Vendat"},
		{"11 PL DE LA REPUBLIQUE", French, "Place de la République"},
		{"AV DE LA FALAISE", French, "Avenue de la Falaise"},
		{"2 b  route du sémaphore", French, "Route du Sémaphore"},
		{"12 bis, RUE DE L EGLISE", French, "Rue de l'Église"},
		{"4-6 BD VOLTAIRE (TOIT)", French, "Boulevard Voltaire"},
		{"METRO REPUBLIQUE L8", French, ""},
		{"Le Village", French, ""},
		{"RD 75", French, ""},
		{"RUE", French, ""},
		{"12", French, ""},
		{"", French, ""},
		{"12 RUE DE L EGLISE", Any, ""},
	} {
		t.Run(tt.line, func(t *testing.T) {
			if got := Street(tt.line, tt.lang); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
