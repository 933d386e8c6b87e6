package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"relais/admin"
	"relais/ingest/ban"
	"relais/internal/folder"
	"relais/internal/lang"
)

//go:embed packtexts
var packTexts embed.FS

// programsDir is the folder of a pack with its programs.
const programsDir = "programs"

// starters are the files of a pack that are the same in every one.
var starters = []struct {
	name, text string
	newline    string
}{
	{"open-relais.sh", "open.sh", "\n"},
	{"Open relais.command", "open.sh", "\n"},
	{"Open relais.cmd", "open.cmd", "\r\n"},
}

// writePack writes the files of a pack next to its data: programs, starters and texts. FAT has neither case nor modes:
// no two names differ only in case, and the names of the starters say what they do.
func writePack(dir, name string, r *admin.PackReport, programs map[string]string) error {
	for file, path := range programs {
		if err := copyProgram(path, filepath.Join(dir, programsDir, file)); err != nil {
			return err
		}
	}
	for _, s := range starters {
		text, err := packTexts.ReadFile("packtexts/" + s.text)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, s.name)
		if err := errors.Join(writeText(path, strings.ReplaceAll(string(text), "\n", s.newline)), os.Chmod(path, 0o755)); err != nil {
			return err
		}
	}
	line, ligne := "", ""
	for _, m := range r.Markets {
		if m.Synthetic {
			line, ligne = " The data is SYNTHETIC: it was made up.", " Les données sont SYNTHETIC : elles sont inventées."
		}
	}
	for file, values := range map[string][]string{
		"READ ME.txt":   {"@LINE@", line, "@CONTENT@", "The stick has " + strings.Join(contents(r), ", ") + "."},
		"LISEZ-MOI.txt": {"@LINE@", ligne, "@CONTENT@", "La clé contient : " + strings.Join(contenu(r), ", ") + "."},
	} {
		text, err := packTexts.ReadFile("packtexts/" + strings.ReplaceAll(file, " ", "-"))
		if err != nil {
			return err
		}
		values = append(values, "@AREA@", name, "@MADE@", r.Made.Format(time.DateOnly), "@VERSION@", r.Program)
		if err := writeNote(filepath.Join(dir, file), strings.NewReplacer(values...).Replace(string(text))); err != nil {
			return err
		}
	}
	return writeNote(filepath.Join(dir, "LICENCES.txt"), licencesOf(r))
}

// writeNote writes a text for people, as Notepad shows it: without the mark it takes UTF-8 for an old code page.
func writeNote(path, text string) error {
	return writeText(path, "\ufeff"+strings.ReplaceAll(text, "\n", "\r\n"))
}

func writeText(path, text string) error {
	return folder.Replace(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// licencesOf names the sources of a pack's data.
func licencesOf(r *admin.PackReport) string {
	var b strings.Builder
	b.WriteString("Sources and licences of the data · Sources et licences des données\n")
	for _, m := range r.Markets {
		fmt.Fprintf(&b, "\n%s, %s\n  %s\n  %s\n  %s\n", m.Market, m.SourceDate, m.Source, m.Authority, m.Licence)
	}
	if r.Speedtests+r.CoveragePoints > 0 {
		b.WriteString("\nSpeedtests and coverage points were measured by users of the server, except those of the campaigns that are named here.\n" +
			"Les tests de débit et les points de couverture ont été mesurés par les utilisateurs du serveur, sauf ceux des campagnes nommées ici.\n")
	}
	for _, c := range r.Campaigns {
		fmt.Fprintf(&b, "\nMeasured for an authority · Mesuré pour une autorité: %s\n", c)
	}
	if r.Photos > 0 {
		b.WriteString("\nPhotos: by the authors that the map names.\nPhotos : des auteurs que la carte nomme.\n")
	}
	if r.Addresses != nil {
		fmt.Fprintf(&b, "\nAddresses · Adresses, %s\n  %s\n  %s\n  %s\n", r.Addresses.Date, ban.Source, ban.Authority, ban.Licence)
	}
	if c := r.Coverage; c != nil {
		fmt.Fprintf(&b, "\nCoverage maps · Cartes de couverture, %s\n", c.Edition)
		for _, of := range c.Publishers {
			fmt.Fprintf(&b, "  %s\n  %s\n  %s\n", of.Source, of.Authority, of.Licence)
		}
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
	if r.Coverage != nil {
		list = append(list, admin.Number(r.Coverage.Maps, "official coverage map"))
	}
	if r.Streets > 0 {
		list = append(list, "a map of streets ("+megabytes(r.Streets)+")")
	}
	return list
}

// contenu lists the content of a pack in French.
func contenu(r *admin.PackReport) (list []string) {
	for _, m := range r.Markets {
		list = append(list, fmt.Sprintf("%s de %s (%s)", nombre(m.Sites, "site"), m.Market, m.SourceDate))
	}
	for _, c := range []struct {
		n    int
		what string
	}{{r.Archives, "archive"}, {r.Editions, "édition"}, {r.Photos, "photo"},
		{r.Speedtests, "test de débit"}, {r.CoveragePoints, "point de couverture"}} {
		if c.n > 0 {
			list = append(list, nombre(c.n, c.what))
		}
	}
	if r.Addresses != nil {
		list = append(list, nombre(r.Addresses.Streets, "rue")+" des adresses")
	}
	if r.Coverage != nil {
		list = append(list, nombre(r.Coverage.Maps, "carte officielle de couverture"))
	}
	if r.Streets > 0 {
		size := fmt.Sprintf("%.1f", float64(r.Streets)/1e6)
		list = append(list, "le plan des rues ("+strings.Replace(size, ".", lang.Get("fr").Decimal, 1)+" Mo)")
	}
	return list
}

// nombre writes a number of things in French. The words of the thing before its "de" end in s in the plural.
func nombre(n int, thing string) string {
	if n > 1 {
		what, of, found := strings.Cut(thing, " de ")
		thing = strings.ReplaceAll(what, " ", "s ") + "s"
		if found {
			thing += " de " + of
		}
	}
	return lang.Get("fr").Number(n) + " " + thing
}
