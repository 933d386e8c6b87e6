package archive

import (
	"bytes"

	"relais/internal/store"
	"relais/site"
)

// NewsEdition begins the texts of News; then come the markets, with commas, and the date: an edition
// was noted, or replaced by another one.
const NewsEdition = "edition"

// News are the entries of the journal of archives.db, by bucket.
var News = map[string]store.News{
	publicationsBucket: func(key, before, after []byte) []byte {
		if bytes.Equal(before, after) {
			return nil
		}
		return []byte(NewsEdition + " FR,DROM " + site.Date(numberIn(key)).String())
	},
	editionsBucket: func(key, before, after []byte) []byte {
		code, date, ok := readMarketKey(key)
		if !ok || bytes.Equal(before, after) {
			return nil
		}
		return []byte(NewsEdition + " " + string(code) + " " + date.String())
	},
}
