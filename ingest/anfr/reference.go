package anfr

import (
	"strings"

	"relais/data"
	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/intern"
)

// labelRow returns a function that adds the rows of a reference table of two columns. They
// replace embedded labels.
func labelRow(into map[string]string) func(*source.Reader) string {
	return func(r *source.Reader) string {
		code := r.Field(0)
		if _, ok := parseWhole(code); !ok {
			return "no code"
		}
		if len(into) >= maxCodes {
			return "too many codes"
		}
		label := validText(r.Field(1))
		if label == "" { // keep the embedded one
			return "no label"
		}
		into[string(code)] = label
		return ""
	}
}

// maxCodes bounds a reference table. The real ones have a few hundred codes.
const maxCodes = 10000

// embedded reads one of the project's own reference tables.
func embedded(name string) (map[string]string, error) {
	t, err := table.Embedded(data.Files, name, requiredColumns("code", "label"))
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for t.Next() {
		m[string(t.Field(0))] = string(t.Field(1))
	}
	return m, t.Err()
}

var laPosteColumns = []table.Column{
	{Name: "Code_commune_INSEE", Required: true},
	{Name: "Nom_commune", Aliases: []string{"Nom_de_la_commune"}, Required: true},
	{Name: "Code_postal"}, {Name: "Ligne_5"},
	{Name: "Libellé_d_acheminement", Aliases: []string{"Libelle_d_acheminement"}},
}

// What nobody reads of the tables of communes.
var (
	laPosteOthers = []string{"coordonnees_gps"}
	inseeOthers   = []string{"CTCD", "ARR", "TNCC", "CAN", "COMPARENT"}
)

func (c *country) laPosteRow(r *source.Reader) string {
	return c.noteCommune(padZeros(r.Field(0), 5), r.Field(1), false)
}

var inseeColumns = []table.Column{
	{Name: "TYPECOM", Required: true}, {Name: "COM", Required: true}, {Name: "LIBELLE", Required: true},
	{Name: "REG"}, {Name: "DEP"}, {Name: "NCC"}, {Name: "NCCENR"},
}

// inseeRow adds INSEE's name of a commune, which replaces La Poste's. Delegated and
// associated communes keep the code of their former commune, and only fill gaps.
func (c *country) inseeRow(r *source.Reader) string {
	kind := string(r.Field(0))
	if kind == "COM" || kind == "ARM" {
		return c.noteCommune(padZeros(r.Field(1), 5), r.Field(2), true)
	}
	if strings.HasPrefix(kind, "COM") {
		return c.noteCommune(padZeros(r.Field(1), 5), r.Field(2), false)
	}
	return otherPlace
}

// noteCommune keeps the name of a commune that has a support.
func (c *country) noteCommune(code, name []byte, better bool) string {
	if len(code) != 5 || len(name) == 0 {
		return "no code or name"
	}
	if c.communes == nil {
		c.communes = map[uint32]string{}
		for _, s := range c.supports.All() {
			c.communes[s.insee] = ""
		}
	}
	at, used := intern.Find(&c.texts.Table, code)
	known, ok := c.communes[at]
	switch {
	case !used || !ok:
		return otherCommune
	case known == "" || better:
		c.communes[at] = validText(name)
	}
	return ""
}
