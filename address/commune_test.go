package address

import (
	"errors"
	"path/filepath"
	"testing"

	"relais/internal/folder"
)

// A commune is found by its code and by its name, unless several have the name.
func TestCommune(t *testing.T) {
	dir, from := folder.Dir(t.TempDir()), t.TempDir()
	text := header + row(1, "Rue de la Paix", "35000", "35238", "Rennes", "", 48.11, -1.68) +
		row(3, "Rue de la Paix", "35000", "35238", "Rennes", "", 48.1101, -1.6801) +
		row(1, "Place Hoche", "35000", "35238", "Rennes", "", 48.115, -1.675) +
		row(1, "Rue Haute", "22000", "22278", "Saint-Brieuc", "", 48.51, -2.76) +
		row(1, "Rue A", "01000", "01004", "Villeneuve", "", 46, 5) +
		row(1, "Rue B", "04000", "04242", "Villeneuve", "", 44, 6)
	ingested(t, dir, write(t, filepath.Join(from, "adresses.csv"), text))
	s := NewStore(Path(dir))
	for _, text := range []string{"35238", "Rennes", "RENNES"} {
		name, code, streets, err := s.Commune(text)
		must(t, err)
		n := 0
		for _, street := range streets {
			n += street.Numbers
		}
		if name != "Rennes" || code != "35238" || len(streets) != 2 || n != 3 {
			t.Errorf("%q: %s, %s, %v", text, name, code, streets)
		}
	}
	_, _, _, err := s.Commune("Villeneuve")
	if several, ok := errors.AsType[*SeveralError](err); !ok || len(several.Codes) != 2 {
		t.Errorf("Villeneuve: %v", err)
	}
	for _, text := range []string{"99999", "Atlantis", "-"} {
		if _, _, _, err := s.Commune(text); !errors.Is(err, ErrNoCommune) {
			t.Errorf("%q: %v, want %v", text, err, ErrNoCommune)
		}
	}
}
