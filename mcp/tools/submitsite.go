package tools

import (
	"context"
	"encoding/json"

	"relais/api/endpoint"
	"relais/auth/account"
	"relais/community"
	"relais/index"
	"relais/site"
)

var submitValidation = endpoint.New(endpoint.Decl{
	Name: "community_submit_validation", Title: "Confirm something of a site", SignedIn: true, Writes: true,
	Summary: "Says, for who signed in, what they saw of a site: that it exists or is gone, or an operator, technology, node, cell, PCI or azimuth that is there. The same said by several people is counted. Submit only what the person saw or measured.",
}, sendValidation)

type submitValidationParams struct {
	tokenParams
	siteParams
	Subject  community.Subject `param:"subject" required:"true" doc:"What is confirmed." example:"technology"`
	Value    string            `param:"value" max:"40" doc:"Its value: none for exists and gone; the key of an operator; a technology such as 5G, LTE 800 or NR 3500; decimal numbers for enb, gnb, cell (ECI or NCI), pci and azimuth (degrees)." example:"LTE 800"`
	Operator string            `param:"operator" max:"40" doc:"Of which operator's part of the site technology, enb, gnb, cell, pci or azimuth is said, where that is known: its key." example:"ORANGE"`
	Day      string            `param:"day" max:"10" doc:"On which day it was seen, YYYY-MM-DD; default: today." example:"2026-11-21"`
}

// A ValidationReceipt is the outcome of a validation.
type ValidationReceipt struct {
	Receipt
	Validation Validation `json:"validation" doc:"With everybody who said the same."`
}

func sendValidation(r *Reading, _ context.Context, p *submitValidationParams) (*ValidationReceipt, error) {
	loaded, at, err := p.find(r)
	if err != nil {
		return nil, err
	}
	var s site.Site
	loaded.Site(at, &s)
	n := community.NewValidation{Market: loaded.Table.Code, SiteKey: index.Key(loaded.Table.Code, s.ID), At: s.Position,
		Subject: p.Subject, Operator: p.Operator, Value: p.Value, Day: p.Day, User: r.Person.ID}
	return submit(r, "community_submit_validation", account.Validation, p.Token,
		p, func(string) (*ValidationReceipt, account.Fact, error) {
			v, counted, err := r.Submissions.Community.Validate(n)
			if err != nil {
				return nil, account.Fact{}, err
			}
			return &ValidationReceipt{Receipt{ID: v.ID, State: "shown", New: counted,
					ShownAt: []string{"sites_get_validations", "community_list_observations_nearby"}},
					newValidation(v)},
				account.Fact{Kind: account.Validation, Ref: v.ID}, nil
		})
}

var bugSubmit = endpoint.New(endpoint.Decl{
	Name: "bug_submit", Title: "File a bug", SignedIn: true, Writes: true,
	Summary: "Tells the operator of this service what is wrong with it or its data; me_bugs_status has the answer. Outages of networks are for community_submit_report, and what is wrong at a site is for community_submit_validation.",
}, sendBug)

type bugParams struct {
	tokenParams
	Title string `param:"title" max:"120" required:"true" doc:"The bug in a line." example:"fr-23444 stands 2 km from where it is"`
	Text  string `param:"text" max:"4000" required:"true" lines:"true" doc:"What was done, expected and seen. No names, numbers or addresses of people."`
}

// A BugReceipt is the outcome of a bug.
type BugReceipt struct{ Receipt }

func sendBug(r *Reading, _ context.Context, p *bugParams) (*BugReceipt, error) {
	return submit(r, "bug_submit", account.Bug, p.Token, p, func(token string) (*BugReceipt, account.Fact, error) {
		b, made, err := r.Submissions.Community.Submit(community.NewBug{Title: p.Title, Text: p.Text, User: r.Person.ID,
			Token: token})
		// The store knows a token longer than its first answer is kept, and returned the bug of that one.
		if err == nil && (b.Title != p.Title || b.Text != p.Text) {
			err = errTokenUsed
		}
		if err != nil {
			return nil, account.Fact{}, err
		}
		data, err := json.Marshal(ownBug{b.Title})
		return &BugReceipt{Receipt{ID: b.ID, State: string(b.State), New: made, ShownAt: []string{"me_bugs_status"}}},
			account.Fact{Kind: account.Bug, Ref: b.ID, Data: data}, err
	})
}

// An ownBug is the part of a bug that is kept with the account of the person who filed it, for the time after the
// bug is removed.
type ownBug struct {
	Title string `json:"title"`
}
