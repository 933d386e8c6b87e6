package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"relais/folder"
	"relais/geo"
	"relais/market"
	"relais/site"
	"relais/snapshot"
)

// multiply writes to the folder to a register of so many sites in one market: the
// national one of the folder from, as often as it takes. Each copy lies elsewhere,
// so that the sites stand as dense as they do in the country, and has names and
// identifiers of its own, so that nothing is stored once for all of them.
func multiply(from, to string, sites int) error {
	s, err := snapshot.ReadFile(folder.Dir(from).Snapshot(string(market.FR)), market.FR)
	if err != nil {
		return err
	}
	b := snapshot.NewBuilder(market.Get(market.FR), s.Statuses)
	b.SourceDate, b.UpdatedAt, b.Synthetic = s.SourceDate, s.UpdatedAt, true
	var x site.Site
	for i := range sites {
		s.Site(i%s.Len(), &x)
		if err := move(&x, i/s.Len()); err != nil {
			return err
		}
		if err := b.Add(&x); err != nil {
			return err
		}
	}
	_, err = b.Write(folder.Dir(to).Snapshot(string(market.FR)))
	return err
}

// Copies stand in a grid of cells that are as large as the country.
const (
	cellWidth, cellHeight = 16, 11 // degrees
	columns               = 360 / cellWidth
	northward, southward  = 3, 11 // rows above and below the country
)

// move makes of a site what stands in its place in a copy; copy 0 is the country.
func move(s *site.Site, copy int) error {
	if copy == 0 {
		return nil
	}
	row := copy / columns
	if row > northward {
		row = northward - row
	}
	p := geo.Point{Lat: s.Position.Lat + float64(row*cellHeight), Lng: s.Position.Lng + float64(copy%columns*cellWidth)}
	if p.Lng >= 180 {
		p.Lng -= 360
	}
	if row < -southward || !p.Valid() {
		return fmt.Errorf("the Earth has no place for copy %d", copy)
	}
	s.Position = p
	mark := "x" + strconv.FormatInt(int64(copy), 36) // a letter, so that no two names become one
	for _, name := range []*string{&s.ID, &s.NationalCode, &s.SourceCode, &s.Commune, &s.Place, &s.Address[0], &s.Address[1], &s.Address[2]} {
		rename(name, mark)
	}
	for k := range s.Stations {
		rename(&s.Stations[k].Code, mark)
		rename(&s.Stations[k].OperatorSiteID, mark)
	}
	for k := range s.Radio {
		r := &s.Radio[k]
		r.Value = (r.Value + uint64(copy)*math.MaxUint16) % (r.Kind.Max() + 1)
	}
	return nil
}

func rename(name *string, mark string) {
	if *name != "" {
		*name += mark
	}
}

// multiplied makes the folder of a register of so many sites.
func multiplied(national, work string, sites int) (string, error) {
	data := filepath.Join(work, strconv.Itoa(sites))
	start := time.Now()
	state, err := again("-multiply", national, "-to", data, "-sites", strconv.Itoa(sites))
	if err != nil {
		return "", err
	}
	fmt.Printf("%-34s %12d %12.2f %14.0f\n", "multiplied, from and to snapshots", sites, time.Since(start).Seconds(), peakMB(state))
	return data, nil
}
