package community

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"relais/community/audit"
)

// A bug is filed once for each token of a user, and closed with an answer.
func TestBugs(t *testing.T) {
	w := newWorld(t)
	file := func(user, token, title string) Bug {
		w.at = w.at.Add(time.Second)
		b, made, err := w.Submit(NewBug{Title: title, Text: "line\nline", User: user, Token: token})
		if err != nil || made != !strings.HasPrefix(title, "again") {
			t.Fatalf("%s: %v, %v, want %v and no error", title, made, err, !strings.HasPrefix(title, "again"))
		}
		return b
	}
	a, b, c := file("ann", "1", "a"), file("bob", "1", "b"), file("ann", "", "c")
	if d := file("ann", "", "d"); d.ID == c.ID || a.ID == b.ID {
		t.Error("two bugs are one")
	}
	w.reopen()
	if again := file("ann", "1", "again another"); again != a {
		t.Errorf("%+v, want %+v", again, a)
	}
	for range 2 {
		closed, err := w.CloseBug(b.ID, audit.Decision{Why: "it is mended"})
		if err != nil || closed.State != ClosedBug || !closed.ClosedAt.Equal(w.at) || closed.Answer != "it is mended" {
			t.Errorf("got %+v, %v, want no error, State = %v, ClosedAt = %v and Answer = it is mended", closed, err,
				ClosedBug, w.at)
		}
	}
	titles := func(all bool, limit, offset int) string {
		list, total, err := w.Bugs(all, limit, offset)
		text := ""
		for _, b := range list {
			text += b.Title
		}
		return fmt.Sprint(text, " ", total, " ", err)
	}
	if got := titles(false, 10, 0) + ", " + titles(true, 2, 1) + ", " + titles(true,
		2, 9); got != "dca 3 <nil>, cb 4 <nil>,  4 <nil>" {
		t.Errorf("got %v, want dca 3 <nil>, cb 4 <nil>,  4 <nil>", got)
	}
	if _, err := w.CloseBug("bug:0", audit.Decision{}); !errors.Is(err, ErrNoBug) {
		t.Error(err)
	}
	if _, err := w.Bug(""); !errors.Is(err, ErrNoBug) {
		t.Error(err)
	}
	for _, n := range []NewBug{{Title: " ", Text: "x", User: "u"}, {Title: "x", Text: "", User: "u"},
		{Title: strings.Repeat("é", maxTitle+1), Text: "x", User: "u"},
		{Title: "x", Text: strings.Repeat("é", maxText+1), User: "u"}, {Title: "\xff", Text: "x", User: "u"}} {
		var invalid *InvalidError
		if _, _, err := w.Submit(n); !errors.As(err, &invalid) {
			t.Errorf("%.20q: got %v, want what is invalid", n.Title, err)
		}
	}
	if _, _, err := w.Submit(NewBug{Title: "x", Text: "x", User: "u", Token: strings.Repeat("t", 201)}); err == nil {
		t.Error("a long token is taken")
	}
}
