package measure

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"relais/internal/folder"
	"relais/internal/killtest"
	"relais/internal/tier"
	"relais/market"
)

func TestMain(m *testing.M) {
	killtest.Main(m, func(args []string) error {
		if args[0] == "add" {
			return addInto(folder.Dir(args[1]), args[2])
		}
		return importInto(folder.Dir(args[0]), args[1:])
	})
}

// importInto imports files again and again, and says which of them count.
func importInto(dir folder.Dir, paths []string) error {
	for {
		s, err := openMeasures(dir, false, clockOf(now))
		if err != nil {
			return err
		}
		for i, p := range paths {
			if _, err := s.Import(context.Background(), market.FR, Options{}, p); err != nil {
				return err
			}
			fmt.Println(i)
		}
		_, err = s.Retain(100 * 24 * time.Hour)
		if err := errors.Join(err, closeMeasures(s)); err != nil {
			return err
		}
	}
}

// Whenever the process ends, each file counts whole or not at all.
func TestKilled(t *testing.T) {
	tier.Slow(t)
	r := rand.New(rand.NewPCG(31, 32))
	list := random(r, 4500)
	for i := range list { // one in four is soon removed again
		list[i].time = now.Add(-time.Duration(i%4) * 40 * 24 * time.Hour)
	}
	var paths []string
	for i := range 3 {
		paths = append(paths, write(t, "a.csv", coverageOf(list[i*1500:(i+1)*1500])))
	}
	dir := t.TempDir()
	for round := range 15 {
		acknowledged := 0
		killtest.Run(t, 120*time.Millisecond, func(string) { acknowledged++ }, append([]string{dir}, paths...)...)
		s := openStore(t, dir)
		if len(s.Problems()) > 0 {
			t.Fatalf("round %d: problems = %v, want none", round, s.Problems())
		}
		if n, err := sound(s); err != nil || n != s.Count(market.FR, Coverage) || n%375 != 0 {
			t.Fatalf("round %d: %d rows, %v, want all rows of whole files", round, n, err)
		}
		if acknowledged > 0 && s.Count(market.FR, Coverage) < min(acknowledged, 3)*1125 {
			t.Fatalf("round %d: %d rows after %d acknowledged files, want theirs", round, s.Count(market.FR, Coverage),
				acknowledged)
		}
		if round%5 == 4 { // and importRun again gives the same
			imported(t, s, market.FR, paths...)
			if _, err := s.Retain(100 * 24 * time.Hour); err != nil || s.Count(market.FR, Coverage) != 3375 {
				t.Fatalf("round %d: %d rows, %v, want 3375", round, s.Count(market.FR, Coverage), err)
			}
			if names := segmentsIn(t, dir); len(names) != len(s.Segments()) { // what was left is there twice now
				t.Errorf("round %d: %v, want %v", round, names, s.Segments())
			}
		}
		closeStore(t, dir)
	}
}

// A process that replaces a campaign by a corrected one, again and again, is killed: there is one of them or none, whole,
// with its speedtests and its points.
func TestCampaignKilled(t *testing.T) {
	tier.Slow(t)
	const rows = 700
	versions := []string{"bitrate_dl=1", "bitrate_dl=4"} // the first digit of each speed
	var paths []string
	for _, v := range versions {
		list := campaignRows("01/06/2025", rows)
		for i := range list {
			list[i] = strings.Replace(list[i], "bitrate_dl=", v+"0", 1)
		}
		paths = append(paths, write(t, "a.csv", rowsOf(arcepHeader, list...)))
	}
	dir, seen := t.TempDir(), map[byte]int{}
	for round := range 40 {
		killtest.Run(t, 100*time.Millisecond, func(string) {}, append([]string{dir}, paths...)...)
		s := openStore(t, dir)
		tests, total, err := s.Speedtests(Query{Market: market.FR, Edition: "arcep-2025-habitations", Limit: rows})
		if err != nil || total != s.Count(market.FR, Coverage) || total != 0 && total != rows || len(s.Problems()) > 0 {
			t.Fatalf("round %d: %d speedtests and %d points, %v, %v; want %d or none", round, total, s.Count(market.FR, Coverage), err,
				s.Problems(), rows)
		}
		digits := map[byte]bool{}
		for i := range tests {
			digits[fmt.Sprint(tests[i].Download)[0]] = true
		}
		if len(digits) > 1 {
			t.Fatalf("round %d: rows of two versions of the campaign", round)
		}
		for d := range digits {
			seen[d]++
		}
		closeStore(t, dir)
	}
	if len(seen) == 0 {
		t.Error("no round had a campaign")
	}
}

// sealed gives a segment's bytes the checksum and the size that they should have, so that
// what stands behind these checks is tested.
func sealed(b []byte) {
	if len(b) >= headerBytes+sumBytes {
		binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
		binary.LittleEndian.PutUint64(b[len(b)-sumBytes:], xxhash.Sum64(b[:len(b)-sumBytes]))
	}
}
