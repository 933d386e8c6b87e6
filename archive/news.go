package archive

import (
	"fmt"

	"relais/internal/store"
	"relais/site"
)

// NewsEdition begins the texts of News; then come the markets, with commas, and the date: an edition
// was noted. One that came after a later one is not told. NewsCorrection begins a text with a number after the date:
// the newest edition was corrected for the n-th time.
const (
	NewsEdition    = "edition"
	NewsCorrection = "correction"
)

// newsOf returns the entry about an edition that was corrected as often as n says, and was before.
func newsOf(codes string, date site.Date, was, n int) []byte {
	if n > was {
		return fmt.Appendf(nil, "%s %s %s %d", NewsCorrection, codes, date, n)
	}
	return fmt.Appendf(nil, "%s %s %s", NewsEdition, codes, date)
}

// News are the entries of the journal of archives.db, by bucket.
var News = map[string]store.News{
	publicationsBucket: func(key, before, after []byte) []byte {
		var was, is Publication
		if readJSON(publicationsBucket, key, after, &is) != nil || is.Late {
			return nil
		}
		if before != nil && readJSON(publicationsBucket, key, before, &was) == nil && was.Added.Equal(is.Added) &&
			was.Corrected == is.Corrected {
			return nil // another one was added before it
		}
		return newsOf("FR,DROM", site.Date(numberIn(key)), was.Corrected, is.Corrected)
	},
	editionsBucket: func(key, before, after []byte) []byte {
		var was, is notedRecord
		code, date, ok := readMarketKey(key)
		if !ok || readJSON(editionsBucket, key, after, &is) != nil || is.Late {
			return nil
		}
		if before != nil && readJSON(editionsBucket, key, before, &was) != nil {
			return nil
		}
		return newsOf(string(code), date, was.Corrected, is.Corrected)
	},
}
