package archive

import (
	"relais/internal/store"
	"relais/site"
)

// NewsEdition begins the texts of News; then come the markets, with commas, and the date: an edition
// was noted, or replaced by another one. One that came after a later one is not told.
const NewsEdition = "edition"

// News are the entries of the journal of archives.db, by bucket.
var News = map[string]store.News{
	publicationsBucket: func(key, before, after []byte) []byte {
		var was, is Publication
		if readJSON(publicationsBucket, key, after, &is) != nil || is.Late {
			return nil
		}
		if before != nil && readJSON(publicationsBucket, key, before, &was) == nil && was.Added.Equal(is.Added) {
			return nil // another one was added before it
		}
		return []byte(NewsEdition + " FR,DROM " + site.Date(numberIn(key)).String())
	},
	editionsBucket: func(key, _, after []byte) []byte {
		var is notedRecord
		code, date, ok := readMarketKey(key)
		if !ok || readJSON(editionsBucket, key, after, &is) != nil || is.Late {
			return nil
		}
		return []byte(NewsEdition + " " + string(code) + " " + date.String())
	},
}
