package api

import (
	"fmt"
	"net/url"
	"strings"

	"relais/api/view"
	"relais/hook"
)

// shownInNotice is how many changes a notice lists. Its link has all of them.
const shownInNotice = 10

// noticeOf returns what a person is told about the data of an event; base is the beginning of addresses.
func noticeOf(base string) func(filter string, data any) hook.Notice {
	return func(filter string, data any) hook.Notice {
		switch d := data.(type) {
		case view.HookChanges:
			return changesNotice(base, filter, &d)
		case view.HookPhoto:
			return hook.Notice{Title: "New photo", Text: d.SiteKey + " " + d.Operator, Link: d.ImageURL}
		case view.HookHeldPhoto:
			return hook.Notice{Title: "A photo waits for approval", Text: d.SiteKey, Link: d.QueueURL}
		case view.HookReport:
			return hook.Notice{Title: "A photo was reported", Text: d.SiteKey + ": " + string(d.Reason), Link: base + "/moderation"}
		case view.Outage:
			return outageNotice(base, &d)
		case view.HookBug:
			return hook.Notice{Title: "A bug was filed", Text: d.ID, Link: base + "/moderation"}
		case view.HookUpdate:
			names := make([]string, len(d.Markets))
			for i, m := range d.Markets {
				names[i] = string(m)
			}
			return hook.Notice{Title: "An update failed", Text: d.Files + ": " + strings.Join(names, ", ")}
		}
		return hook.Notice{Title: "relais", Text: fmt.Sprint(data)}
	}
}

func outageNotice(base string, o *view.Outage) hook.Notice {
	n := hook.Notice{Title: "Outage", Text: o.OperatorKey + " " + o.SiteName}
	if o.State != nil {
		n.Title = "Outage " + *o.State
	}
	if o.SiteKey != nil {
		n.Link = base + view.SitePagePath + *o.SiteKey
	}
	return n
}

// changesNotice tells what an edition changed. Its link is the page of the edition with the filter.
func changesNotice(base, filter string, d *view.HookChanges) hook.Notice {
	n := hook.Notice{Title: fmt.Sprintf("%s, edition of %s: %d changes", d.Market, d.Date, d.TotalMatched)}
	var lines []string
	for i := range d.Changes[:min(shownInNotice, len(d.Changes))] {
		lines = append(lines, changeLine(&d.Changes[i]))
	}
	if more := d.TotalMatched - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", more))
	}
	n.Text = strings.Join(lines, "\n")
	if q, err := url.ParseQuery(filter); err == nil {
		q.Set("market", string(d.Market))
		n.Link = base + "/news/" + d.Date + "?" + q.Encode()
	}
	return n
}

// changeLine writes a change, such as "system-added: RENNES (35), Orange 5G NR 3500".
func changeLine(c *view.Change) string {
	where := c.Site.SiteKey
	if c.Site.Commune != nil {
		where = *c.Site.Commune
	}
	if c.Site.Area != nil {
		where += " (" + c.Site.Area.Code + ")"
	}
	line := string(c.Kind) + ": " + where
	for _, of := range []*string{c.Operator, c.Technology} {
		if of != nil {
			line += " " + *of
		}
	}
	return line
}
