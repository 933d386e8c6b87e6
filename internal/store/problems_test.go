package store

import (
	"fmt"
	"strings"
	"testing"
)

func TestProblems(t *testing.T) {
	var p Problems
	for i := range 13 {
		p.Add(nil)
		if err := p.Err(); (err == nil) != (i == 0) {
			t.Errorf("of %d: got %v, want no error of none only", i, err)
		}
		p.Add(fmt.Errorf("the problem %d", i))
	}
	err := p.Err()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 11 || lines[0] != "the problem 0" || lines[9] != "the problem 9" || lines[10] != "and 3 more" {
		t.Errorf("got %q, want the first ten, and 3 more", lines)
	}
	if again := p.Err(); again.Error() != err.Error() {
		t.Errorf("asked again: %v, want %v", again, err.Error())
	}
}
