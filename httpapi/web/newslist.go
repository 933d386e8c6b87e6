package web

import (
	"strconv"

	"relais/api/view"
	"relais/archive/change"
	"relais/catalog"
	"relais/index"
	"relais/site/spelling"
)

// newsSites is how many sites a page lists.
const newsSites = 100

// list chooses the sites of a kind, page by page. It reports whether there is such a page.
func (page *newsPage) list(w words, sum *newsSum, number string) bool {
	chosen := -1
	listed := sum.Sites
	page.Kinds = []choice{{w["kind.all"] + " (" + w.Number(len(listed)) + ")", page.Narrow("kind", ""), page.kind == ""}}
	for k, positions := range sum.ByKind {
		name := change.Kind(k).String()
		if len(positions) == 0 && name != page.kind {
			continue
		}
		page.Kinds = append(page.Kinds, choice{w["kind."+name] + " (" + w.Number(len(positions)) + ")",
			page.Narrow("kind", name), name == page.kind})
		if name == page.kind {
			chosen = k
		}
	}
	if chosen >= 0 {
		listed = make([]newsSite, len(sum.ByKind[chosen]))
		for i, at := range sum.ByKind[chosen] {
			listed[i] = sum.Sites[at]
		}
	}
	n, err := strconv.Atoi(number)
	if number == "" {
		n, err = 1, nil
	}
	last := max(1, (len(listed)+newsSites-1)/newsSites)
	if err != nil || n < 1 || n > last {
		return false
	}
	page.entries = listed[(n-1)*newsSites : min(len(listed), n*newsSites)]
	page.Pages = numbered(w, n, last, func(k int) string {
		to := page.newsAddress
		if k > 1 {
			to.number = strconv.Itoa(k)
		}
		return to.href()
	})
	return true
}

// numbered returns links to the first page, the last one and those around the present one, none for one page.
func numbered(w words, present, last int, link func(int) string) (pages []choice) {
	for k := 1; k <= last && last > 1; k++ {
		switch {
		case k == 1 || k == last || k >= present-2 && k <= present+2:
			pages = append(pages, choice{w.Number(k), link(k) + "#sites", k == present})
		case k == present-3 || k == present+3:
			pages = append(pages, choice{Label: "…"})
		}
	}
	return pages
}

// addEntries adds the changes of the page's sites in words.
func (page *newsPage) addEntries(w words, found *catalog.ChangesFound, onMap bool) {
	at := map[newsKey]int{}
	entries := make([]catalog.NewsEntry, len(page.entries))
	for i, e := range page.entries {
		at[e.newsKey], entries[i].Date = i, e.Date
	}
	for edition, c := range found.Rows {
		if i, ok := at[newsKey{edition.Date, c.Site}]; ok {
			entries[i].Changes = append(entries[i].Changes, c)
		}
	}
	told := &catalog.NewsFound{News: catalog.News{ChangeSelection: found.ChangeSelection}, Register: found.Register}
	for i := range entries {
		if len(entries[i].Changes) == 0 { // the archives changed since the sum was made
			continue
		}
		page.Entries = append(page.Entries, w.news(told, &entries[i], onMap))
	}
}

// communeAndLink returns the commune and the page of a site, "" if the register, which may be nil, does not have it.
func communeAndLink(loaded *index.Market, id string) (commune, link string) {
	if loaded == nil {
		return "", ""
	}
	key := index.Key(loaded.Table.Code, id)
	i, ok := loaded.ByID(key)
	if !ok {
		return "", ""
	}
	code, name := loaded.Snap.Commune(int(i))
	return spelling.Commune(name, code, loaded.Table.Spelling), view.SitePagePath + key
}

// An entry is the data of the template of an entry.
type entry struct {
	W     words
	Lang  string
	Entry newsText
}

func newEntry(e newsText, of page) entry { return entry{of.W, of.Lang, e} }

// Title returns the title of the page.
func (page *newsPage) Title(w words) string {
	switch {
	case page.None != "":
		return w["newsTitle"] + w["colon"] + " " + w.Market(page.Market)
	case page.Edition != "":
		return w.Fill("newsEdition", w.Date(page.Edition))
	case page.Before != "":
		return w.Fill("newsPeriod", w.Date(page.Before))
	}
	return w["newsTitle"]
}

// Lead says what the page compares.
func (page *newsPage) Lead(w words) string {
	place := w.Market(page.Market)
	switch {
	case page.Before == "":
		return w.Fill("newsFirst", place)
	case page.Edition != "":
		return w.Fill("newsLead", place, w.Date(page.Before))
	}
	return w.Fill("newsLeadPeriod", place, w.Date(page.Before), w.Date(page.Last), w.Count("editionCount", page.Editions))
}

// Filtered reports whether the page is about a part of the market's changes.
func (page *newsPage) Filtered() bool { return len(page.filters) > 0 }
