package moderation

import (
	"strings"

	"relais/admin"
	"relais/community/audit"
)

// A line is an entry of the audit log.
type line struct {
	audit.Entry
	Author, Did, From, To string
	Link                  string // page of its photo, or ""
}

func (q *request) lines(entries []audit.Entry) []line {
	list := make([]line, len(entries))
	for i := range entries {
		e := &entries[i]
		list[i] = line{*e, q.author(e), q.did(e), q.text("state.")(e.Before), q.text("state.")(e.After), photoLink(e)}
	}
	return list
}

// kindOf returns the kind of record of an act: photo, report, outage, bug or user.
func kindOf(act string) string {
	kind, _, _ := strings.Cut(act, ".")
	return kind
}

// author returns the name of the author of a decision.
func (q *request) author(e *audit.Entry) string {
	if e.Shell {
		return q.words["theShell"]
	}
	return e.By
}

// did describes a decision. An act that this version does not know is described by its name.
func (q *request) did(e *audit.Entry) string { return q.text("act.")(e.Act) }

// sentence describes a decision with its author, time and reason.
func (q *request) sentence(e *audit.Entry) string {
	text := q.words.Fill("sentence", q.author(e), q.did(e), q.words.Moment(e.At.Format("2006-01-02T15:04:05Z07:00")))
	if kindOf(e.Act) == "user" {
		text = q.words.Fill("sentenceUser", q.author(e), q.did(e), e.Subject,
			q.words.Moment(e.At.Format("2006-01-02T15:04:05Z07:00")))
	}
	if e.Why != "" {
		text += " " + q.words.Fill("because", e.Why)
	}
	return text
}

// photoLink returns the page of the photo that an entry is about, "" if it is about another thing, or
// if the photo was deleted.
func photoLink(e *audit.Entry) string {
	switch {
	case e.Photo != "":
		return Path + "/photos/" + e.Photo
	case kindOf(e.Act) == "photo" && e.After != "":
		return Path + "/photos/" + e.Subject
	}
	return ""
}

// log lists the decisions.
func (q *request) log() (any, error) {
	kinds := []string{"photo", "report", "outage", "bug", "user"}
	f := audit.Filter{Kind: q.parameter("kind", kinds), By: q.r.URL.Query().Get("by")}
	l, err := ask[admin.AuditList](q, admin.ListAudit{Filter: f, Page: q.part()})
	return struct {
		Entries []line
		Paging  paging
		Kinds   []option
		By      string
	}{q.lines(l.Entries), q.paging(l.Total), options(kinds, f.Kind, q.text("kind.")), f.By}, err
}
