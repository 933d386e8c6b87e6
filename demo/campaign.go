package demo

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"
)

// campaignHeader is that of 2025_QoS_Metropole_data_habitations.csv of ARCEP, which has a column without a name.
const campaignHeader = "acess_duration;average_mos_couple;axis;axis_name;axis_precision;band_serving;band_start;bitrate_dl;" +
	"bitrate_ul;call_direction;call_number;call_setup_time_to_alerting;call_type;cell_id;crspa;" +
	"date_time_end;date_time_start;date_start;date_end;download_ok;hour_start;hour_end;descoping;" +
	"descoping_reason;detail;dialed_number;dl_superior_3mbps;dl_volume;ec_n0;helicopter_measure;" +
	"id_measure;id_sending_terminal;imei;imsi;insee_com;insee_dep;intra_inter_op_couple;lac;latitude_end;" +
	"latitude_start;list_mos;loaded_in_less_10_secondes;loaded_in_less_5_secondes;longitude_end;" +
	"longitude_start;mcc_end;mcc_start;min_mos;min_mos_couple;mnc_end;mnc_start;mos_average;nom_com;" +
	"nom_dep;nom_reg;operator;operator_called;operator_calling;operator_identical;operating_system;" +
	"operating_system_version;pci;ping_result;quality_correct;quality_perfect;real_communiation_time;" +
	"reason_of_failed;result;rscp;rsrp;rsrq;rx_lev;rx_level;rx_qual;protocole;situation;sms_content;" +
	"sms_delai;sms_reception_date_time;sms_sending_date_time;sms_sending_number;sms_success;tac;" +
	"techno_end;techno_start;terminal;territory;time_to_call;trace_name;traffic_time;transfert_duration;" +
	"transfert_file_size;ul_volume;upload_ok;url;video_freez_duration;video_initialisation_duration;" +
	"video_viewing_duration;zone;zone_name;zone_precision;;Result"

// campaignRows is how many measurements the campaign has. They are the same for a year, so that it is imported once.
const campaignRows = 3000

// writeCampaign writes a campaign of the last summer that has ended, in the layout of ARCEP's of 2025.
func writeCampaign(dir string, c []support, now time.Time) (path string, err error) {
	year := now.Year()
	if now.Month() < time.September {
		year--
	}
	path = filepath.Join(dir, fmt.Sprintf("SYNTHETIC_%d_QoS_Metropole_data_habitations.csv", year))
	return path, writeFile(path, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, campaignHeader); err != nil {
			return err
		}
		r := rand.New(rand.NewPCG(uint64(year), 3))
		tested := testedOf(c, campaignRows/10)
		for i := range campaignRows {
			if _, err := fmt.Fprintln(w, campaignRow(r, tested[i%len(tested)], year)); err != nil {
				return err
			}
		}
		return nil
	})
}

// campaignRow returns a measurement near a support: which columns are filled follows from the protocol.
func campaignRow(r *rand.Rand, s *support, year int) string {
	o := s.stations[r.IntN(len(s.stations))].operator
	p := phone{r, s, &s.stations[0], 0.02}
	lat, lng := p.place()
	at := time.Date(year, time.June, 1+r.IntN(80), 8+r.IntN(11), r.IntN(60), r.IntN(60), 0, time.UTC)
	fields := map[string]string{"date_start": at.Format("02/01/2006"), "hour_start": at.Format(time.TimeOnly),
		"latitude_start": lat, "longitude_start": lng, "insee_com": s.town.insee, "operator": campaignNames[o.plmn],
		"mcc_start": o.plmn[:3], "mnc_start": strings.TrimPrefix(o.plmn[3:], "0"), "techno_start": "5G", "territory": "METROPOLE",
		"terminal": "SYNTHETIC", "situation": []string{"Indoor", "Outdoor", "Incar"}[r.IntN(3)],
		"zone": "Zones rurales", "zone_name": "SYNTHETIC " + s.town.name, "Result": "Success",
		"rsrp": fmt.Sprintf("%.2f", -70-45*r.Float64()), "rsrq": fmt.Sprintf("%.2f", -6-12*r.Float64())}
	seconds := 0.5 + 8*r.Float64()
	fields["protocole"] = []string{"WEB", "WEB", "WEB", "DOWNLOAD", "UPLOAD", "STREAM", "ICMP"}[r.IntN(7)]
	switch fields["protocole"] {
	case "DOWNLOAD":
		fields["bitrate_dl"], fields["transfert_file_size"] = withComma(250*8.388608/(4+6*r.Float64())), "250"
	case "UPLOAD":
		fields["bitrate_ul"], fields["transfert_file_size"] = withComma(50*8.388608/(4+6*r.Float64())), "50"
	case "WEB":
		fields["acess_duration"], fields["loaded_in_less_10_secondes"] = withComma(seconds), "1"
		fields["loaded_in_less_5_secondes"] = map[bool]string{true: "1", false: "0"}[seconds < 5]
	}
	var cells []string
	for _, name := range strings.Split(campaignHeader, ";") {
		cells = append(cells, fields[name])
	}
	return strings.Join(cells, ";")
}

// campaignNames are the operators' names in the column operator.
var campaignNames = map[string]string{"20801": "Orange", "20810": "SFR", "20815": "Free", "20820": "Bouygues"}

func withComma(v float64) string { return strings.Replace(fmt.Sprintf("%.3f", v), ".", ",", 1) }
