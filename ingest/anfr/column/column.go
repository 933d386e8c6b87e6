// Package column is the columns of the observatoire as ANFR publishes it: what the parser reads,
// archives keep, and answers show by the same names.
package column

// Names are the columns as the publication calls them, in its order.
var Names = [...]string{
	"id", "adm_lb_nom", "sup_id", "emr_lb_systeme", "emr_dt", "sta_nm_dpt", "code_insee", "generation", "date_maj",
	"sta_nm_anfr", "nat_id", "sup_nm_haut", "tpo_id", "adr_lb_lieu", "adr_lb_add1", "adr_lb_add2", "adr_lb_add3",
	"adr_nm_cp", "com_cd_insee", "coordonnees", "coord", "statut", "list_azimut",
}

// Positions in Names.
const (
	ID = iota
	Operator
	Support
	System
	Date
	Department
	Insee
	Generation
	Updated
	Station
	Nature
	Height
	Owner
	Lieu
	Address1
	Address2
	Address3
	Postal
	Insee2
	Position
	Coord
	Status
	Azimuths // since autumn 2026: older publications do not have it
)

// A More is a column that a publication has in addition, with its value in a row.
type More struct{ Name, Value string }
