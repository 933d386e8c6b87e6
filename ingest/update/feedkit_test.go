package update

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"relais/internal/store"
	"relais/market"
	"relais/outage"
)

// A feedKit is a kit with the files of two operators and the store for them.
type feedKit struct {
	*kit
	db       *store.DB
	store    *outage.Store
	at       time.Time // of the stores' clock
	news     []string  // that they were told since the last run
	storeErr error     // of the stores
}

const (
	orange    = "/orange.csv"
	free      = "/free.csv"
	hsColumns = "code_site_op;region;departement;commune;code_insee;Lat;Lon;4Gdata;voix;raison;debut\n"
)

// published returns an operator's file with sites that are numbered from first on.
func published(first, sites int) []byte {
	text := "Liste des sites hors service;;\n\n" + hsColumns
	for i := range sites {
		text += fmt.Sprintf("%d;AURA;63;CLERMONT;63113;45.77;3.08;HS;HS;Incident;2026-08-20 06:10:00\n", first+i)
	}
	return []byte(text)
}

func newFeedKit(t *testing.T) *feedKit {
	t.Helper()
	k := &feedKit{kit: newKit(t), at: time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)}
	var err error
	if k.db, err = store.Open(filepath.Join(t.TempDir(), "community.db"), outage.Buckets...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.db.Close() })
	if k.store, err = outage.Open(k.db, func() time.Time { return k.at }); err != nil {
		t.Fatal(err)
	}
	k.put(orange, published(1, 3))
	k.put(free, published(1, 2))
	k.use(k.feed("hs-orange", "orange", orange), k.feed("hs-free", "FREE", free))
	return k
}

// feed returns the entry of a feed in the table.
func (k *feedKit) feed(name, operator, path string) string {
	return fmt.Sprintf(`{"name":%q,"market":"FR","operator":%q,"find":"url","url":%q,"licence":"test"}`, name, operator,
		k.URL+path)
}

func (k *feedKit) options() Options {
	o := k.kit.options()
	o.Feeds = func(ctx context.Context, code market.Code, news ...outage.News) ([]outage.Outcome, error) {
		for _, n := range news {
			k.news = append(k.news, fmt.Sprint(n.Operator, " ", filepath.Base(n.File), " ", n.Failed))
		}
		if k.storeErr != nil && len(news) > 0 {
			return nil, k.storeErr
		}
		return k.store.Take(ctx, code, news...)
	}
	return o
}

func (k *feedKit) run() *SourceReport {
	k.t.Helper()
	k.news = nil
	return k.runWith(k.options())
}

// describeFeed returns a feed's state, when it was read and failed, and the codes of its
// sites.
func (k *feedKit) describeFeed(operator string) string {
	text := ""
	for _, f := range k.store.Feeds(market.FR) {
		if f.Operator == operator {
			hour := func(t *time.Time) string {
				if t == nil {
					return "never"
				}
				return t.Format("02T15")
			}
			text = fmt.Sprint(f.State(), ", read ", hour(f.ReadAt), ", failed ", hour(f.FailedAt), ":")
		}
	}
	entries, _ := k.store.Entries(outage.Query{Market: market.FR, Operators: []string{operator}})
	for _, e := range entries {
		text += " " + e.Code
	}
	return text
}

// A handler replaces the normal answer of a replay server.
type handler = func(http.ResponseWriter, *http.Request, int) bool

func (k *feedKit) expect(when, operator, want string) {
	k.t.Helper()
	if got := k.describeFeed(operator); got != want {
		k.t.Errorf("%s: %s is %s, want %s", when, operator, got, want)
	}
}
