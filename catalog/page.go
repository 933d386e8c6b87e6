package catalog

// A Page is a part of the rows that a question found.
type Page[T any] struct {
	Items   []T
	Total   int    // on all pages
	Version string // of the data
}

// Next returns the offset of the next page, nil for the last one.
func (p *Page[T]) Next(offset int) *int { return nextOffset(offset, len(p.Items), p.Total) }

// nextOffset returns the offset after a page of n items of total, nil for the last one.
func nextOffset(offset, n, total int) *int {
	if next := offset + n; n > 0 && next < total {
		return &next
	}
	return nil
}
