package measure

import (
	"bytes"
	"strings"
	"time"

	"relais/ingest/source"
	"relais/ingest/table"
	"relais/internal/fold"
)

// ARCEP's measurements of the quality of service, as published each year: layouts of 2025 (2025_QoS_Metropole_data_habitations.csv
// and …_transports.csv), and of 2022 and 2023. In both, decimals have a comma or a point, also in one row, the text is
// UTF-8 or cp1252, and a column may have no name.
var (
	arcep = &source.Kind{Name: "arcep-measures", Options: table.Options{Comma: ';', OneLine: true}, Many: true,
		Columns: []table.Column{
			{Name: "date_start", Required: true}, {Name: "hour_start", Required: true}, {Name: "date_time_start"},
			{Name: "latitude_start", Required: true}, {Name: "longitude_start", Required: true},
			{Name: "operator", Required: true},
			{Name: "bitrate_dl", Required: true, Blank: true}, {Name: "bitrate_ul", Required: true, Blank: true},
			{Name: "rsrp"}, {Name: "rsrq"}, {Name: "rscp"}, {Name: "pci"}, {Name: "cell_id"}, {Name: "territory"},
			{Name: "techno_start"}, {Name: "situation"}},
		Others: []string{"acess_duration", "average_mos_couple", "axis", "axis_name", "band_serving", "band_start", "protocole",
			"terminal", "url", "zone", "zone_name", "mcc_start", "mnc_start", "insee_com", "upload_ok",
			"transfert_file_size", "loaded_in_less_10_secondes", "loaded_in_less_5_secondes", "quality_correct", "quality_perfect"},
		Ignored: append(strings.Fields("axis_precision call_direction call_number call_setup_time_to_alerting call_type crspa date_time_end "+
			"date_end download_ok hour_end descoping descoping_reason detail dialed_number dl_superior_3mbps "+
			"dl_volume ec_n0 helicopter_measure id_measure id_sending_terminal imei imsi insee_dep "+
			"intra_inter_op_couple lac latitude_end list_mos longitude_end mcc_end min_mos min_mos_couple "+
			"mnc_end mos_average nom_com nom_dep nom_reg operator_called operator_calling operator_identical "+
			"operating_system operating_system_version ping_result real_communiation_time reason_of_failed "+
			"result rx_lev rx_level rx_qual sms_content sms_delai sms_reception_date_time sms_sending_date_time "+
			"sms_sending_number sms_success tac techno_end time_to_call trace_name traffic_time "+
			"transfert_duration ul_volume video_freez_duration video_initialisation_duration "+
			"video_viewing_duration zone_precision Result"), "")}
	arcep2022 = &source.Kind{Name: "arcep-measures-2022", Options: table.Options{Comma: ';', OneLine: true}, Many: true,
		Columns: []table.Column{
			{Name: "date", Required: true}, {Name: "heure", Required: true}, {Name: "latitude", Required: true},
			{Name: "longitude", Required: true}, {Name: "operateur", Required: true}, {Name: "protocole", Required: true},
			{Name: "débit_en_Mbit/s", Required: true, Blank: true}, {Name: "rsrp"}, {Name: "situation"}},
		Others: []string{"lieu", "Profil", "url", "file_name", "file_type", "terminal", "adresse", "strate",
			"sous_strate", "page_chargée_moins_5s", "page_chargée_moins_10s", "video_en_qualité_parfaite",
			"video_en_qualité_correcte", "fichier_chargé_en_moins_de_30s", "temps_en_secondes", "delai_lancement_stream_s",
			"lag_stream_s", "accroche_5G", "mcc_mnc", "INSEE_COM", "INSEE_DEP", "INSEE_REG", "NOM_DEP"}}
)

// techno_start is the profile of the test: in 2025 it is 5G in every row, also where only 3G was measured. So it is
// not read as the technology; only "Pas de service" is. mcc_start and mnc_start are not always those of the operator.
var (
	arcepRoles = map[string]role{
		"date_start": timestamp, "hour_start": timeOfDay, "date_time_start": wholeTime, "latitude_start": lat,
		"longitude_start": lng, "operator": operator, "bitrate_dl": download, "bitrate_ul": upload, "rsrp": rsrp, "rsrq": rsrq,
		"rscp": rscp, "pci": pci, "cell_id": cell, "territory": territory, "techno_start": service, "situation": situation}
	arcep2022Roles = map[string]role{
		"date": timestamp, "heure": timeOfDay, "latitude": lat, "longitude": lng, "operateur": operator, "protocole": protocol,
		"débit_en_Mbit/s": transfer, "rsrp": rsrp, "situation": situation}
)

// A place is the meaning of a territory of ARCEP's table: its time zone, and the networks of the operators' names there.
type place struct {
	zone     *time.Location
	networks map[string]network
}

var (
	antilles = map[string]string{"ORANGE": "34001", "SFR": "34002", "FREE": "34004", "DIGICEL": "34020"}
	indian   = map[string]string{"ORANGE": "64700", "MAORE MOBILE": "64701", "ONLY": "64702", "FREE": "64703", "ZEOP": "64704",
		"SRR": "64710", "SFR": "64710"}
)

// territories are the words of the column territory.
var territories = map[string]*place{
	"METROPOLE":  newPlace("Europe/Paris", nil),
	"GUADELOUPE": newPlace("America/Guadeloupe", antilles),
	"MARTINIQUE": newPlace("America/Martinique", antilles),
	"GUYANE":     newPlace("America/Cayenne", antilles),
	"LA REUNION": newPlace("Indian/Reunion", indian),
	"MAYOTTE":    newPlace("Indian/Mayotte", indian),
}

func newPlace(zone string, plmns map[string]string) *place {
	p := &place{networks: map[string]network{}}
	p.zone, _ = time.LoadLocation(zone) // the zones are in the program
	for name, plmn := range plmns {
		n := network{}
		n.MCC, n.MNC = splitPLMN(plmn)
		p.networks[name] = n
	}
	return p
}

// placeOf returns the place of the row's territory, nil if it has none.
func (r *rowReader) placeOf() *place { return territories[string(r.field(territory))] }

// arcepPublisher publishes the campaigns of both layouts.
var arcepPublisher = &publisher{"arcep", "ARCEP", "Licence Ouverte 2.0"}

// inTrain reports whether the row was measured in a train, which only the campaigns of transports do.
func (r *rowReader) inTrain() bool { return string(r.field(situation)) == "INTRAIN" }

// statesNoService reports whether the row says that the phone had no network.
func (r *rowReader) statesNoService() bool { return string(r.field(service)) == "Pas de service" }

// readTransfer reads the speed of a table that has one column for both directions, which the protocol tells.
func (r *rowReader) readTransfer(m *row) (ok bool) {
	var to *int32
	switch direction := r.field(protocol); {
	case bytes.HasPrefix(direction, []byte("DOWNLOAD")):
		to = &m.down
	case bytes.HasPrefix(direction, []byte("UPLOAD")):
		to = &m.up
	default:
		return true
	}
	*to, ok = speedOf(r.field(transfer), maxSpeed)
	return ok
}

// readRSCP takes a level of 3G for the signal, if nothing of a later generation was measured.
func (r *rowReader) readRSCP(m *row) {
	if level := levelOf(r.field(rscp), lowRSCP, highRSCP); level != noLevel && m.rsrp == noLevel && m.rsrq == noLevel {
		m.signal, m.technology = level, technologyOf("3G")
	}
}

// networkIn returns the network of an operator's name in a territory.
func (p *place) networkIn(name []byte) (network, bool) {
	if p == nil || len(p.networks) == 0 {
		return network{}, false
	}
	n, ok := p.networks[fold.UpperASCII(fold.String(string(name)))]
	return n, ok
}
