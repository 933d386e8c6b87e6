package ised

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"unicode"

	"relais/ingest/table"
	"relais/market"
)

// Columns of personal data. They are kept out of everything, and so must they be where
// a comma too many and one too few have moved them into other columns.
const (
	contactName = "contact_name"
	telephone   = "business_telephone"
	email       = "email_address"
)

// The account of a licensee is a number, or a word in the older layout.
const (
	accountNumber = "account_number"
	olderAccount  = "NEW_ACCOUNT"
)

// A role is what a column can say about where the fields of its record stand.
type role uint8

const (
	free     role = iota // anything may stand in it
	personal             // is dropped, whatever it is
	code                 // never has a separator in it
	prose                // people write it, with commas
	beside               // no code is between it and a column of personal data behind it
)

// A witness is a column whose fields are known by their form.
type witness struct {
	column int
	fits   func(field []byte) bool
	stated bool // has something in it on every row that is served
}

// shifted tests whether the fields of a record stand under other names than theirs.
//
// A record that has as many fields as the header, and yet others in some columns, has
// a field in two columns and elsewhere two fields in one: the joined one has a
// separator in it. What lies between the two stands under wrong names. Where nothing
// is joined, placeholders and names of another form are no reason for doubt:
// few columns are looked at, for what cannot be theirs. Where a field may be a joined
// one, each column that has a form must show it. Two kinds of joined fields need not
// displace such a column, and are known by themselves: a personal field behind the
// text of a column before it, and a telephone number or an address before a location.
func shifted(at func(table.Column) int) func(fields [][]byte) bool {
	named := func(name string) int { return at(table.Column{Name: name}) }
	account := at(table.Column{Name: accountNumber, Aliases: []string{olderAccount}})
	contact, phone, mail := named(contactName), named(telephone), named(email)
	var roles []role
	set := func(r role, indexes ...int) {
		for _, i := range indexes {
			if i >= 0 {
				roles = append(roles, make([]role, max(0, i+1-len(roles)))...)
				roles[i] = r
			}
		}
	}
	set(code, account, at(columns[colLicence]), at(columns[colCategory]), at(columns[colTechnology]),
		at(columns[colProvince]), at(columns[colUploaded]),
		named("subservice_id"), named("area_id"), named("station_type"))
	texts := []int{at(columns[colLocation]), at(columns[colReference]), at(columns[colLicensee])}
	set(prose, append(texts, named("area_name"))...)
	set(personal, contact, phone, mail)
	for i := len(roles) - 2; i >= 0; i-- { // back to the column that has a form
		if (roles[i] == free || roles[i] == prose) && (roles[i+1] == personal || roles[i+1] == beside) {
			roles[i] = beside
		}
	}
	licensee, latitude, longitude, province := at(columns[colLicensee]), at(columns[colLatitude]),
		at(columns[colLongitude]), at(columns[colProvince])
	always := present(
		witness{account, isAccount, false}, witness{licensee, isName, false}, witness{province, isWord, false},
		witness{latitude, isFigure, false}, witness{longitude, isFigure, false})
	doubted := present(
		witness{at(columns[colUploaded]), hasDigit, false}, witness{at(columns[colLicence]), hasDigit, true},
		witness{named("area_id"), hasDigit, false},
		witness{account, hasDigit, true}, witness{licensee, isName, true},
		witness{at(columns[colCategory]), isCategory, true},
		witness{at(columns[colTechnology]), isTechnology, true}, witness{province, isProvince, false},
		witness{latitude, isDegrees, true}, witness{longitude, isDegrees, true},
		witness{at(columns[colRecord]), isRecord, false}, witness{contact, isContact, false},
		witness{phone, isTelephone, false}, witness{mail, isMail, false})
	return func(fields [][]byte) bool {
		doubt := false
		for i, f := range fields {
			r := free
			if i < len(roles) {
				r = roles[i]
			}
			if r == personal {
				continue
			}
			has := marksOf(f)
			if has == 0 {
				continue
			}
			if has&entity != 0 {
				f = []byte(html.UnescapeString(string(f)))
				has = marksOf(f)
			}
			if has&atSign != 0 && mailAddress.Match(f) {
				return true
			}
			if has&separator != 0 {
				certain, likely := joined(f, r)
				if certain {
					return true
				}
				doubt = doubt || likely
			}
		}
		for _, i := range texts {
			if i >= 0 && isNumber(fields[i]) {
				return true
			}
		}
		return displaced(always, fields) || doubt && displaced(doubted, fields)
	}
}

// present leaves out the columns that the table lacks.
func present(all ...witness) []witness {
	return slices.DeleteFunc(all, func(w witness) bool { return w.column < 0 })
}

// displaced tells whether a column has what cannot be its own.
func displaced(witnesses []witness, fields [][]byte) bool {
	for _, w := range witnesses {
		if f := stated(fields[w.column]); len(f) == 0 && w.stated || len(f) > 0 && !w.fits(f) {
			return true
		}
	}
	return false
}

// joined tells of a field with a separator in it whether it is several fields, or
// likely to be. People leave a blank behind a comma.
func joined(f []byte, r role) (certain, likely bool) {
	if r == code {
		return true, true
	}
	text := r == prose || r == beside
	before, empty := false, 0 // a separator without a blank behind it; parts that say nothing
	for first := true; ; first = false {
		i := indexSeparator(f)
		part, after := f, false
		if i >= 0 {
			part, after = f[:i], i+1 == len(f) || f[i+1] != ' '
		}
		if !first {
			switch {
			case r != beside:
				likely = likely || before
			case isForm(part): // of a company, behind its name
			case before:
				return true, true
			default:
				likely = true
			}
		}
		if before && after && text && isNothing(part) {
			empty++
		} else {
			empty = 0
		}
		part = bytes.TrimSpace(part)
		address := false
		if at := bytes.IndexByte(part, '@'); at > 0 && bytes.IndexByte(part, ' ') < 0 {
			likely = true
			address = (before || after) && bytes.IndexByte(part[at:], '.') > 0
		}
		if address || empty == 2 || text && isNumber(part) {
			return true, true
		}
		if i < 0 {
			return false, likely
		}
		f, before = f[i+1:], after
	}
}

// marks are what a field has that needs a closer look.
type marks uint8

const (
	separator marks = 1 << iota
	atSign
	entity
)

// separators are those that the table can have been written with.
const separators = ",;\t|"

var markOf = func() (table [256]marks) {
	for _, b := range []byte(separators) {
		table[b] = separator
	}
	table['@'], table['&'] = atSign, entity
	return table
}()

func marksOf(f []byte) (m marks) {
	for _, b := range f {
		m |= markOf[b]
	}
	return m
}

func indexSeparator(f []byte) int {
	return slices.IndexFunc(f, func(b byte) bool { return markOf[b]&separator != 0 })
}

// stated returns a field, empty when the source says that it has nothing to say.
func stated(f []byte) []byte {
	if f = bytes.TrimSpace(f); len(f) > 1 || len(f) == 1 && f[0] != '-' {
		return f
	}
	return nil
}

const decimals = "0123456789"

func hasDigit(f []byte) bool {
	return slices.ContainsFunc(f, func(b byte) bool { return b >= '0' && b <= '9' })
}

// isAccount: a number in some notation, or a single word.
func isAccount(f []byte) bool {
	if bytes.IndexByte(f, '@') >= 0 {
		return false
	}
	return hasDigit(f) && f[0] != '(' && f[0] != '+' || !hasDigit(f) && !bytes.ContainsAny(f, " .")
}

// isName: some letter is in it, if only of an alphabet in another encoding.
func isName(f []byte) bool {
	return slices.ContainsFunc(f, func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b > unicode.MaxASCII })
}

func isWord(f []byte) bool { return !hasDigit(f) && bytes.IndexByte(f, '@') < 0 }

// isFigure: whatever a latitude may look like, a province or a name does not.
func isFigure(f []byte) bool {
	return hasDigit(f) || bytes.EqualFold(f, []byte("nan")) || bytes.EqualFold(bytes.TrimLeft(f, "+-"), []byte("inf"))
}

func isCategory(f []byte) bool { return len(f) <= 10 && isName(f) && bytes.IndexByte(f, ' ') < 0 }

func isTechnology(f []byte) bool { return generation(f) != 0 && !bytes.ContainsAny(f, "@.") }

func isProvince(f []byte) bool {
	_, ok := market.Get(market.CA).Area(string(f))
	return ok
}

func isDegrees(f []byte) bool {
	_, ok := number(f)
	return ok
}

// isRecord: any name but an address or a telephone number.
func isRecord(f []byte) bool { return bytes.IndexByte(f, '@') < 0 && !isNumber(f) }

// isContact: no telephone number, nor the rest of a company's name.
func isContact(f []byte) bool { return !isNumber(f) && !isForm(f) }

func isTelephone(f []byte) bool { return hasDigit(f) || isNothing(f) }

func isMail(f []byte) bool {
	return bytes.IndexByte(f, '@') >= 0 || isNothing(f) || webAddress.Match(f) ||
		bytes.Contains(f, []byte(" at ")) && bytes.Contains(f, []byte(" dot "))
}

// nothing are the usual words for it, without points at their ends.
var nothing = []string{"", "0", "n/a", "na", "n.a", "n/d", "nd", "n.d", "s.o", "s/o", "so", "nil", "no", "none", "null",
	"aucun", "aucune", "tbd", "unknown", "inconnu",
	"unlisted", "not available", "not applicable", "non disponible", "sans objet", "no email", "no e-mail", "no phone"}

// isNothing tells whether a field says in words that there is nothing to say.
func isNothing(f []byte) bool {
	f = bytes.Trim(f, " .-")
	return slices.ContainsFunc(nothing,
		func(word string) bool { return len(f) == len(word) && bytes.EqualFold(f, []byte(word)) })
}

// isForm tells whether a part of a name says what form of company it is.
func isForm(part []byte) bool {
	part = bytes.Trim(part, " .")
	return slices.ContainsFunc(forms, func(form string) bool { return bytes.EqualFold(part, []byte(form)) }) ||
		bytes.EqualFold(part, []byte("ltée")) || bytes.EqualFold(part, []byte("lt\xe9e")) ||
		bytes.EqualFold(part, []byte("llc"))
}

// isNumber tells whether a field is a telephone number and nothing else.
func isNumber(f []byte) bool {
	f = bytes.TrimSpace(f)
	if len(f) < 10 || len(f) > 40 || bytes.IndexByte([]byte("+("+decimals), f[0]) < 0 {
		return false
	}
	n := 0
	for _, b := range f {
		if b >= '0' && b <= '9' {
			n++
		}
	}
	return n >= 10 && phoneNumber.Match(f)
}

var (
	// Ten digits, with a country code and an extension or without.
	phoneNumber = regexp.MustCompile(
		`(?i)^(\+?1[-. ]*)?\(?[2-9]\d\d\)?[-. /]*\d{3}[-. ]*\d{4}[,; ]*((x|ext|poste|#)[-:. ]*\d+)?$`)
	webAddress = regexp.MustCompile(`(?i)^[^\s@]+\.[a-z]{2,}(/\S*)?$`)
	// An @ also stands between two roads: of what may be an intersection or a model,
	// only the endings of Canadian addresses make an address.
	mailAddress = regexp.MustCompile(
		`(?i)[^\s@]@([^\s@.,;<>()]+\.)+(ca|com|net|org|info|biz|tel|mobi|gov|edu|coop|io|us|fr|quebec)([^\pL\pN_.-]|\.?$|\.\s)`)
)
