package cli

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/admin"
	"relais/ingest/ban"
	"relais/internal/folder"
)

//go:embed packtexts
var packTexts embed.FS

// writePack writes the files of a pack next to its data: programs, a script and texts.
func writePack(dir, name string, r *admin.PackReport, programs map[string]string) error {
	for arch, path := range programs {
		if err := copyProgram(path, filepath.Join(dir, "relais-"+arch)); err != nil {
			return err
		}
	}
	flags, line, ligne := "", "", ""
	if r.Spec.Restricted {
		flags = "--map-all"
	}
	for _, m := range r.Markets {
		if m.Synthetic {
			line, ligne = "The data is SYNTHETIC: it was made up.", "Les données sont SYNTHETIC : elles sont inventées."
		}
	}
	for file, values := range map[string][]string{
		"start.sh":     {"@FLAGS@", flags},
		"README.txt":   {"@LINE@", line, "@CONTENT@", "The pack has " + strings.Join(contents(r), ", ") + "."},
		"LISEZMOI.txt": {"@LINE@", ligne, "@CONTENT@", "Ce pack contient : " + strings.Join(contenu(r), ", ") + "."},
	} {
		text, err := packTexts.ReadFile("packtexts/" + file)
		if err != nil {
			return err
		}
		values = append(values, "@AREA@", name, "@MADE@", r.Made.Format(time.DateOnly), "@VERSION@", r.Program)
		if err := writeText(filepath.Join(dir, file), strings.NewReplacer(values...).Replace(string(text))); err != nil {
			return err
		}
	}
	// The mode may not count: many sticks are mounted so that nothing on them runs. The README starts it with sh.
	if err := os.Chmod(filepath.Join(dir, "start.sh"), 0o755); err != nil {
		return err
	}
	return writeText(filepath.Join(dir, "LICENCES.txt"), licencesOf(r))
}

func writeText(path, text string) error {
	return folder.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func copyProgram(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	err = folder.Replace(to, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
	if err != nil {
		return err
	}
	return os.Chmod(to, 0o755)
}

// licencesOf names the sources of a pack's data.
func licencesOf(r *admin.PackReport) string {
	var b strings.Builder
	b.WriteString("Sources and licences of the data · Sources et licences des données\n")
	for _, m := range r.Markets {
		fmt.Fprintf(&b, "\n%s, %s\n  %s\n  %s\n  %s\n", m.Market, m.SourceDate, m.Source, m.Authority, m.Licence)
	}
	if r.Speedtests+r.CoveragePoints > 0 {
		b.WriteString("\nSpeedtests and coverage points were measured by users of the server.\n" +
			"Les tests de débit et les points de couverture ont été mesurés par les utilisateurs du serveur.\n")
	}
	if r.Photos > 0 {
		b.WriteString("\nPhotos: by the authors that the map names.\nPhotos : des auteurs que la carte nomme.\n")
	}
	if r.Addresses != nil {
		fmt.Fprintf(&b, "\nAddresses · Adresses, %s\n  %s\n  %s\n  %s\n", r.Addresses.Date, ban.Source, ban.Authority, ban.Licence)
	}
	if r.Streets > 0 {
		b.WriteString("\nMap of streets · Plan des rues: © OpenStreetMap (ODbL 1.0, https://www.openstreetmap.org/copyright).\n")
	}
	b.WriteString("\nBase map · Fond de carte: Natural Earth (public domain), GeoNames (CC BY 4.0).\n" +
		"Names of communes · Noms des communes: INSEE (Licence Ouverte 2.0).\n" +
		"relais: its licence is in the source · sa licence est dans les sources.\n")
	return b.String()
}

// contents lists the content of a pack.
func contents(r *admin.PackReport) (list []string) {
	for _, m := range r.Markets {
		list = append(list, fmt.Sprintf("%s of %s (%s)", admin.Number(m.Sites, "site"), m.Market, m.SourceDate))
	}
	for _, c := range []struct {
		n    int
		what string
	}{{r.Archives, "archive"}, {r.Editions, "edition"}, {r.Photos, "photo"}, {r.Speedtests, "speedtest"},
		{r.CoveragePoints, "coverage point"}} {
		if c.n > 0 {
			list = append(list, admin.Number(c.n, c.what))
		}
	}
	if r.Addresses != nil {
		list = append(list, fmt.Sprintf("%s of addresses", admin.Number(r.Addresses.Streets, "street")))
	}
	if r.Streets > 0 {
		list = append(list, "a map of streets ("+megabytes(r.Streets)+")")
	}
	return list
}

// contenu lists the content of a pack in French.
func contenu(r *admin.PackReport) (list []string) {
	for _, m := range r.Markets {
		list = append(list, fmt.Sprintf("%d site(s) de %s (%s)", m.Sites, m.Market, m.SourceDate))
	}
	for _, c := range []struct {
		n    int
		what string
	}{{r.Archives, "archive(s)"}, {r.Editions, "édition(s)"}, {r.Photos, "photo(s)"},
		{r.Speedtests, "test(s) de débit"}, {r.CoveragePoints, "point(s) de couverture"}} {
		if c.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if r.Addresses != nil {
		list = append(list, fmt.Sprintf("%d rue(s) des adresses", r.Addresses.Streets))
	}
	if r.Streets > 0 {
		list = append(list, fmt.Sprintf("le plan des rues (%.1f Mo)", float64(r.Streets)/1e6))
	}
	return list
}
