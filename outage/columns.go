package outage

import (
	"strings"

	"relais/ingest/table"
)

// Columns of a row; those up to colEnd are the raw row of api.md, in its order.
const (
	colCode = iota
	colManaged
	colRegion
	colDepartment
	colCommune
	colINSEE
	colLat
	colLng
	col2GVoice
	col3GVoice
	col4GVoice
	col3GData
	col4GData
	col5GData
	colVoice
	colData
	colReason
	colDetail
	colStart
	colEnd
	colVoiceSMS
	colStartVoice
	colStartData
	colEndVoice
	colEndData
	col5GVoice // stated by lists of all operators, like the next
	col2GData
)

// rawColumns are the columns that are kept of a row; its other columns are dropped.
var rawColumns = []string{
	"code_site_op", "", "region", "departement", "commune", "code_insee", "Lat", "Lon",
	"2Gvoix", "3Gvoix", "4Gvoix", "3Gdata", "4Gdata", "5Gdata", "voix", "data",
	"raison", "detail", "debut", "fin_prev",
}

// statusColumns are those of the statuses of services. A list has one of them at least.
var statusColumns = []int{col2GVoice, col3GVoice, col4GVoice, col3GData, col4GData, col5GData, colVoice, colData,
	colVoiceSMS}

// namesOf returns the names of columns in words.
func namesOf(list []int) string {
	names := make([]string, len(list))
	for i, column := range list {
		names[i] = columns[column].Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// managedPrefix begins the name of the column that says whether the operator runs the
// site itself; the operator's name follows.
const managedPrefix = "Antenne relais gérée par "

// ManagedColumn is the name of that column in answers.
func ManagedColumn(operator string) string { return managedPrefix + operator }

// columns are found under the names that the four French operators have used since
// 2020. Case and accents do not count, and a hyphen is a blank.
var columns = []table.Column{
	{Name: "code_site_op", Aliases: []string{"code_si", "Code SI", "code_site", "code site"}, Required: true},
	{Name: "op_leader", Aliases: []string{"propre"}}, // or what begins with managedPrefix
	{Name: "region"},
	{Name: "departement", Aliases: []string{"dpt", "province"}},
	{Name: "commune", Aliases: []string{"localite"}},
	{Name: "code_insee", Aliases: []string{"Code INSEE", "code_insee_commune"}},
	{Name: "lat", Aliases: []string{"latitude", "X_WGS84_GPS"}, Required: true}, // sic: SFR wrote the latitude there
	{Name: "lon", Aliases: []string{"longitude", "long", "lng", "Y_WGS84_GPS"}, Required: true},
	{Name: "2Gvoix", Aliases: []string{"voix2g", "Service Voix / SMS 2G"}},
	{Name: "3Gvoix", Aliases: []string{"voix3g", "Service Voix / SMS 3G"}},
	{Name: "4Gvoix", Aliases: []string{"voix4g", "Service Voix / SMS 4G"}},
	{Name: "3Gdata", Aliases: []string{"data3g", "Service de données 3G"}},
	{Name: "4Gdata", Aliases: []string{"data4g", "Service de données 4G"}},
	{Name: "5Gdata", Aliases: []string{"data5g", "Service de données 5G"}},
	{Name: "voix", Aliases: voiceSMS},
	{Name: "data", Aliases: []string{"internet mobile", "Service de données"}},
	{Name: "raison", Aliases: []string{"reason"}},
	{Name: "detail"},
	{Name: "debut", Aliases: []string{"date_debut"}},
	{Name: "fin_prev", Aliases: []string{"fin", "date_fin"}},
	{Name: "voixSms", Aliases: append(voiceSMS, "voix")},
	{Name: "debut_voix", Aliases: []string{"debut_interruption_voix",
		"Date et heure début panne ou maintenance antenne-relais pour le Service Voix / SMS"}},
	{Name: "debut_data", Aliases: []string{"debut_interruption_data",
		"Date et heure début panne ou maintenance antenne-relais pour le Service de données"}},
	{Name: "fin_voix", Aliases: []string{"fin_interruption_voix",
		"Date de rétablissement prévue pour le Service Voix / SMS"}},
	{Name: "fin_data", Aliases: []string{"fin_interruption_data",
		"Date de rétablissement prévue pour le Service de données"}},
	{Name: "voix5g"},
	{Name: "data2g"},
}

var voiceSMS = []string{"voix_sms", "Voix/SMS", "Service Voix/SMS", "Service Voix / SMS"}
