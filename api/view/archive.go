package view

import (
	"cmp"
	"slices"

	"relais/archive"
	"relais/ingest/anfr/column"
)

// ArchivesMeta is the meta of /anfr/archives.
type ArchivesMeta struct {
	Current *string `json:"current" doc:"The newest date, YYYY-MM-DD; null without archives."`
	Attribution
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// ArchiveMeta is the meta of /anfr/archive/{date}.
type ArchiveMeta struct {
	Date     string  `json:"date" doc:"Of the publication, YYYY-MM-DD."`
	View     string  `json:"view" doc:"changes or full."`
	Previous *string `json:"previous" doc:"The date that this one is compared with, YYYY-MM-DD; null for the oldest."`
	Attribution
	DataVersion *string `json:"dataVersion" doc:"Names the data: pages with the same one belong together. null without data."`
}

// An ArchiveSite is a support in an archive.
type ArchiveSite struct {
	Info     ArchiveInfo     `json:"info"`
	Antennas []ArchiveRecord `json:"antennas" doc:"By id."`
}

// ArchiveInfo says where a support of an archive is.
type ArchiveInfo struct {
	Support  string `json:"sup_id"`
	Position string `json:"coordonnees" doc:"Latitude and longitude as published, WGS84 degrees."`
	Lat      string `json:"lat"`
	Lon      string `json:"lon"`
	City     string `json:"city" doc:"Name of the commune; empty where the present register does not know its INSEE code."`
}

// An ArchiveRecord is a row of an edition: its columns as published, with dates as
// YYYY-MM-DD, and its type. An empty column is an empty text. Other columns are not shown.
type ArchiveRecord struct {
	ID         string `json:"id" doc:"Number of the row in its publication."`
	Support    string `json:"sup_id"`
	Position   string `json:"coordonnees"`
	Coord      string `json:"coord"`
	Lat        string `json:"lat"`
	Lon        string `json:"lon"`
	City       string `json:"city"`
	Operator   string `json:"adm_lb_nom"`
	System     string `json:"emr_lb_systeme"`
	Status     string `json:"statut"`
	Date       string `json:"emr_dt"`
	Generation string `json:"generation"`
	Updated    string `json:"date_maj" doc:"YYYY-MM-DD."`
	Station    string `json:"sta_nm_anfr"`
	Nature     string `json:"nat_id"`
	Height     string `json:"sup_nm_haut"`
	Owner      string `json:"tpo_id"`
	Lieu       string `json:"adr_lb_lieu"`
	Address1   string `json:"adr_lb_add1"`
	Address2   string `json:"adr_lb_add2"`
	Address3   string `json:"adr_lb_add3"`
	Postal     string `json:"adr_nm_cp"`
	Department string `json:"sta_nm_dpt"`
	Insee      string `json:"code_insee"`
	Insee2     string `json:"com_cd_insee"`
	// Azimuths and Columns are absent in publications without these columns.
	Azimuths *string           `json:"list_azimut,omitempty" doc:"Azimuths as published; absent when the publication has no such column."`
	Columns  map[string]string `json:"columns,omitempty" doc:"What further columns of the publication state, by their names; absent when they state nothing."`
	Type     string            `json:"type,omitempty" doc:"What the publication made of the row: new (of a support that the one before did not have), added (on one that it had), activated (no longer a project) or deleted; with view=full absent on others."`
}

// Archives returns a function that appends a member of an archive's data: the id, its
// ArchiveSite and a comma. city returns the name of the commune with an INSEE code, "" if
// it is unknown.
func Archives(city func(insee string) string) func(dst []byte, s *archive.Site) ([]byte, error) {
	encode := newEncoder()
	var v ArchiveSite
	return func(dst []byte, s *archive.Site) ([]byte, error) {
		v.Antennas = slices.Grow(v.Antennas[:0], len(s.Records))
		for i := range s.Records {
			v.Antennas = append(v.Antennas, archiveRecord(&s.Records[i], s.Columns, city))
		}
		at := max(0, slices.IndexFunc(s.Records, func(r archive.Record) bool { return r.Kind != archive.Deleted }))
		r := &v.Antennas[at]
		v.Info = ArchiveInfo{Support: s.ID, Position: r.Position, Lat: r.Lat, Lon: r.Lon, City: r.City}
		text, err := encode(&v)
		dst = append(append(append(dst, '"'), s.ID...), `":`...)
		return append(append(dst, text...), ','), err
	}
}

func archiveRecord(r *archive.Record, columns []string, city func(insee string) string) ArchiveRecord {
	v := &r.Values
	lat, lon := r.Position()
	record := ArchiveRecord{
		ID: v[column.ID], Support: v[column.Support], Position: v[column.Position], Coord: v[column.Coord],
		Lat: lat, Lon: lon,
		City:     city(cmp.Or(v[column.Insee], v[column.Insee2])),
		Operator: v[column.Operator], System: v[column.System], Status: v[column.Status], Date: v[column.Date],
		Generation: v[column.Generation], Updated: v[column.Updated], Station: v[column.Station],
		Nature: v[column.Nature], Height: v[column.Height], Owner: v[column.Owner],
		Lieu: v[column.Lieu], Address1: v[column.Address1], Address2: v[column.Address2],
		Address3: v[column.Address3],
		Postal:   v[column.Postal], Department: v[column.Department], Insee: v[column.Insee],
		Insee2: v[column.Insee2],
		Type:   r.Kind.Type(),
	}
	if slices.Contains(columns, column.Names[column.Azimuths]) {
		record.Azimuths = &v[column.Azimuths]
	}
	if len(r.More) > 0 {
		record.Columns = map[string]string{}
		for _, m := range r.More {
			record.Columns[m.Name] = m.Value
		}
	}
	return record
}
