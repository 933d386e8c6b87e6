package source

import (
	"path"
	"path/filepath"
	"regexp"

	"relais/site"
)

var dayInName = regexp.MustCompile(`\d{4}-\d{2}-\d{2}|\d{8}`)

// NameDate returns the day in the input's name, written 2026-08-14 or 20260814: the last
// one in the member's name, or else in the name of the file or archive. Folders do not
// count. It is 0 if the names have no day.
func (in *Input) NameDate() (day site.Date) {
	for _, m := range dayInName.FindAllString(filepath.Base(in.Path)+"\n"+path.Base(in.Member), -1) {
		if len(m) == len("20260814") {
			m = m[:4] + "-" + m[4:6] + "-" + m[6:]
		}
		if d := site.ParseDate([]byte(m)); d != 0 {
			day = d
		}
	}
	return day
}
