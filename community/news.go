package community

import (
	"encoding/json"

	"relais/internal/store"
)

// First words of the texts of News.
const (
	NewsOutage = "outage" // then the report's id and its state, which it has from now on
	NewsBug    = "bug"    // then the bug's id: it was filed
)

// News are the entries of the journal about this package's buckets of community.db.
var News = map[string]store.News{
	reportsBucket: func(_, before, after []byte) []byte {
		var was, is Report
		if json.Unmarshal(after, &is) != nil || before != nil && json.Unmarshal(before, &was) == nil && was.State == is.State {
			return nil
		}
		return []byte(NewsOutage + " " + is.ID + " " + string(is.State))
	},
	bugsBucket: func(_, before, after []byte) []byte {
		b := &Bug{}
		if before != nil || json.Unmarshal(after, b) != nil {
			return nil
		}
		return []byte(NewsBug + " " + b.ID)
	},
}
