package measure

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"relais/internal/tier"
	"relais/market"
)

// nationalRows is how many rows ARCEP's campaign of 2025 at dwellings has.
const nationalRows = 354_282

// A campaign of its real size is imported in one go, and each of its measurements is found again.
func TestCampaignOfNationalSize(t *testing.T) {
	if !tier.Full() {
		t.Skip("make full runs it")
	}
	path := filepath.Join(t.TempDir(), "2025_QoS_Metropole_data_habitations.csv")
	f, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriter(f)
	columns := strings.Split(arcepHeader, ";")
	fmt.Fprintln(w, arcepHeader)
	tests, points, operators := map[string]int{}, map[string]int{}, []string{"Orange", "SFR", "Free", "Bouygues"}
	for i := range nationalRows {
		operator := operators[i/5%4]
		row := map[string]string{"date_start": fmt.Sprintf("%02d/07/2025", 1+i/86400), "territory": "METROPOLE",
			"hour_start": fmt.Sprintf("%02d:%02d:%02d", i/3600%24, i/60%60, i%60), "operator": operator, "techno_start": "5G",
			"latitude_start": fmt.Sprintf("%.5f", 43+float64(i%70_001)/1e4), "longitude_start": fmt.Sprintf("%.5f", float64(i%50_021)/1e4)}
		switch i % 5 {
		case 0, 1:
			row["protocole"], row["bitrate_dl"] = "DOWNLOAD", fmt.Sprintf("%d,25", 1+i%900)
			tests[operator]++
		case 2:
			row["protocole"], row["bitrate_ul"] = "UPLOAD", fmt.Sprint(1+i%90)
			tests[operator]++
		default:
			row["protocole"] = "WEB"
		}
		if i%5 != 4 {
			row["rsrp"], row["rsrq"] = fmt.Sprintf("-%d.25", 60+i%60), "-11.5"
			points[operator]++
		}
		for n, column := range columns {
			if n > 0 {
				w.WriteByte(';')
			}
			w.WriteString(row[column])
		}
		w.WriteByte('\n')
	}
	must(t, w.Flush())
	must(t, f.Close())
	s := openStore(t, t.TempDir())
	importedCampaign(t, s, market.FR, path)
	for _, name := range operators {
		key := strings.ToUpper(name)
		q := Query{Market: market.FR, Among: []string{key}, Limit: 100_000} // more than an operator has
		gotTests, _, err := s.Speedtests(q)
		must(t, err)
		gotPoints, err := s.Coverage(q)
		must(t, err)
		if len(gotTests) != tests[name] || len(gotPoints) != points[name] {
			t.Errorf("%s: %d speedtests and %d points, want %d and %d", key, len(gotTests), len(gotPoints), tests[name], points[name])
		}
	}
}
