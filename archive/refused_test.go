package archive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"relais/internal/filetest"
	"relais/site"
)

func TestRefused(t *testing.T) {
	s, _ := opened(t)
	var lines []string
	for i := range 40 {
		lines = append(lines, line("SFR", fmt.Sprint(100+i), "LTE 800", fmt.Sprintf("003270%04d", i), "En service"))
	}
	whole := publication(t, "2026-08-06", lines...)
	mustAdd(t, s, whole, Options{})
	text := filetest.Read(t, whole)
	later := site.DateOf(2026, 8, 13)
	for _, tt := range []struct {
		name string
		path string
		o    Options
		want string
		is   error
	}{
		{name: "same date", path: whole, is: ErrExists},
		{name: "future", path: whole, o: Options{Date: site.DateOf(2026, 11, 23)}, is: ErrRefused},
		{name: "half", path: publication(t, "2026-08-13", lines[:20]...), is: ErrRefused},
		{name: "cut", path: filetest.New(t, "x.csv", string(text[:len(text)/2])), o: Options{Date: later, Force: true},
			want: "x.csv:21: the file ends in the middle of a record"},
		{name: "header alone", path: filetest.New(t, "x.csv", header), o: Options{Date: later, Force: true},
			want: "x.csv:1: the table has a header and no row"},
		{name: "empty", path: filetest.New(t, "x.csv", ""), want: "x.csv:1: "},
		{name: "other table", path: filetest.New(t, "x.csv", "a;b\n1;2\n"), want: "x.csv:1: "},
		{name: "no date", path: filetest.New(t, "x.csv", strings.ReplaceAll(string(text), "2026-08-06T", "2026-02-30T")),
			want: "x.csv:2: neither"},
		{name: "renamed", path: filetest.New(t, "x.csv", strings.Replace(string(text), "statut", "etat", 1)),
			o: Options{Date: later, Force: true}, want: "x.csv:1: the column statut is missing"},
		{name: "no key", path: filetest.New(t, "x.csv", strings.ReplaceAll(string(text), "SFR", "")),
			o: Options{Date: later, Force: true}, want: "x.csv:1: the column adm_lb_nom is empty in every row"},
		{name: "latin 1", path: filetest.New(t, "x.csv", strings.ReplaceAll(string(text), "°", "\xb0")),
			o: Options{Date: later, Force: true}, want: "x.csv:2: a byte that is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := add(s, tt.path, tt.o); err == nil || tt.is != nil && !errors.Is(err, tt.is) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.want)
			}
		})
	}
	if dates, _, err := s.Dates(); err != nil || len(dates) != 1 {
		t.Errorf("got %v, %v, want no error and one date", dates, err)
	}
	mustBeWhole(t, s, 1)
}

func TestRefusedDates(t *testing.T) {
	s, db := opened(t)
	whole := publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service"))
	mustAdd(t, s, whole, Options{})
	for _, date := range []string{"2026-02-30", "26-1-1", "2026-13-01", "", "2026-08-07", "2026-08-06T00:00:00",
		"\x00\xff"} {
		for _, seq := range []iter.Seq2[*Site, error]{sitesOf(s.Whole(date)), sitesOf(s.Changes(date)),
			sitesOf(s.compare("2026-08-06", date))} {
			for site, err := range seq {
				if site != nil || !errors.Is(err, ErrNoArchive) {
					t.Errorf("%q: %v, %v, want none and ErrNoArchive", date, site, err)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	files, err := Files([]string{whole})
	must(t, err)
	if _, err := s.Add(ctx, &files[0], Options{Date: site.DateOf(2026, 8, 13)}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if dates, _, err := s.Dates(); err != nil || len(dates) != 1 {
		t.Errorf("got %v, %v, want no error and len(dates) = 1", dates, err)
	}
	mustBeWhole(t, s, 1)
	must(t, db.Close())
	if _, err := add(Open(nil, november), whole, Options{}); !errors.Is(err, errReadOnly) {
		t.Error(err)
	}
	if dates, current, err := Open(nil, november).Dates(); len(dates) != 0 || current != "" || err != nil {
		t.Errorf("got %v, %v, %v, want none, empty and no error", dates, current, err)
	}
}

// The variants of the file are read alike: labels, commas, other dates, lost zeros.
func TestVariants(t *testing.T) {
	s, _ := opened(t)
	mustAdd(t, s, publication(t, "2026-08-06", line("SFR", "10", "LTE 800", "0032700001", "En service")), Options{})
	text := "Opérateur,sup_id,Système,Mise en service déclaré,sta_nm_dpt,code_insee,generation,date_maj,sta_nm_anfr,nat_id,sup_nm_haut,tpo_id,Adresse,Adresse 1,Code postal,com_cd_insee,coordonnees,coord,statut,id\n" +
		"SFR,0010,LTE 800,02/01/2020,3,3258,4G,13/08/2026,32700001,23,\"27,2\",72,LE BOUCHEREAUD,rte de vendat,3110,3258,\"46.177499999999995 , 3.3741666666666665\",46°10'39''N 3°22'27''E,En service,7\n"
	r := mustAdd(t, s, filetest.New(t, "x.csv", text), Options{})
	if r.Date != "2026-08-13" || r.Changes["new"] != 0 || r.File.Rows != 1 || r.File.Served != 1 {
		t.Errorf("got %+v, want Date = 2026-08-13, new = 0, Rows = 1 and Served = 1", r)
	}
	mustTell(t, "whole", sitesOf(s.Whole("2026-08-13")), " 7 2026-08-13 10 SFR LTE 800 0032700001")
	list, err := s.List()
	if err != nil || !slices.Equal(list[0].Segments, list[1].Segments) {
		t.Errorf("the same row is stored twice: %v, %v, want no error and Segments = %v", list, err, list[1].Segments)
	}
}

// A date_maj of a row's own stays its own, whatever it is.
func TestOwnDate(t *testing.T) {
	s, _ := opened(t)
	text := header
	for i, date := range []string{"2026-08-06T16:11:53", "\x00", "", "2026-08-05"} {
		text += fmt.Sprintf("%d;"+line("SFR", "10", "LTE 800", fmt.Sprint("003270000", i), "En service")+"\n", i, date)
	}
	mustAdd(t, s, filetest.New(t, "x.csv", text), Options{})
	mustTell(t, "whole", sitesOf(s.Whole("2026-08-06")), "new 0 2026-08-06 10 SFR LTE 800 0032700000",
		"new 1  10 SFR LTE 800 0032700001",
		"new 2  10 SFR LTE 800 0032700002", "new 3 2026-08-05 10 SFR LTE 800 0032700003")
}
