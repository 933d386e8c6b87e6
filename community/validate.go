package community

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"relais/geo"
	"relais/internal/store"
	"relais/market"
)

// Validate stores that a user confirms something. counted reports whether that is one more: a
// user counts once for each validation. Errors: *InvalidError, ErrFull, errReadOnly.
func (s *Store) Validate(n NewValidation) (v Validation, counted bool, err error) {
	if err := checkIDs(n.User, ""); err != nil {
		return v, false, err
	}
	said, err := n.record(s.second())
	if err != nil {
		return v, false, err
	}
	r := said
	err = s.update(func(tx *store.Tx) error {
		if r, err = getValidation(tx, said.ID); errors.Is(err, errNoValidation) {
			r, err = said, s.checkRoom(said.SiteKey)
		}
		if err != nil {
			return err
		}
		r.FirstDay, r.LastDay = min(r.FirstDay, said.FirstDay), max(r.LastDay, said.LastDay)
		if h := r.hash(n.User); indexOf(r.Users, h) < 0 && len(r.Users) < maxUsers {
			r.Users, counted = append(r.Users, h), true
			r.Count++
		}
		return store.PutJSON(tx, validationsBucket, []byte(r.ID), r)
	})
	if err != nil {
		return v, false, err
	}
	return r.Validation, counted, nil
}

// checkRoom returns ErrFull if no validation of a site can be added. Call it in an update.
func (s *Store) checkRoom(siteKey string) error {
	if n, all := len(s.sites[siteKey]), len(s.validations.All()); n >= maxPerSite || all >= maxValidations {
		return fmt.Errorf("%w: %d validations, %d of the site", ErrFull, all, n)
	}
	return nil
}

// show puts a validation in the place of what it was. What is shown never changes.
func (s *Store) show(before, now *Validation) {
	if before != nil {
		list := slices.DeleteFunc(s.sites[before.SiteKey], func(v *Validation) bool { return v == before })
		if s.sites[before.SiteKey] = list; len(list) == 0 {
			delete(s.sites, before.SiteKey)
		}
	}
	if now != nil {
		s.sites[now.SiteKey] = append(s.sites[now.SiteKey], now)
	}
}

// Validation returns a validation, false when it is not kept or cannot be used.
func (s *Store) Validation(id string) (v Validation, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if kept := s.validations.Get(id); kept != nil {
		return *kept, true
	}
	return v, false
}

// OfSite returns the validations of a site, by subject, then those with the highest count
// first.
func (s *Store) OfSite(siteKey string) []Validation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := []Validation{}
	for _, v := range s.sites[siteKey] {
		list = append(list, *v)
	}
	slices.SortFunc(list, func(a, b Validation) int {
		return cmp.Or(cmp.Compare(slices.Index(subjects, a.Subject), slices.Index(subjects, b.Subject)),
			cmp.Compare(b.Count, a.Count),
			cmp.Compare(b.LastDay, a.LastDay), cmp.Compare(a.Operator, b.Operator), cmp.Compare(a.Value, b.Value))
	})
	return list
}

// Near returns the validations of sites of a market in a disc, in no order.
func (s *Store) Near(code market.Code, disc geo.Disc) []Validation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list, box := []Validation{}, disc.Box()
	for _, validations := range s.sites {
		if first := validations[0]; first.Market != code || !box.Contains(first.Point()) ||
			geo.Distance(disc.Center, first.Point()) > disc.Radius {
			continue
		}
		for _, v := range validations {
			list = append(list, *v)
		}
	}
	return list
}
