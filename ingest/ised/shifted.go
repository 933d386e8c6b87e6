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

// Columns of personal data. They are dropped, and a row is rejected if its personal data
// may have moved into other columns: with one comma too many and one too few, a record
// still has as many fields as the header.
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

// A role says what the fields of a column may contain.
type role uint8

const (
	free         role = iota // anything
	personal                 // dropped, so not examined
	code                     // never a separator
	prose                    // text, with commas
	nearPersonal             // free or prose, with no code between it and the personal columns after it
)

// A witness is a column whose fields have a known form.
type witness struct {
	column int
	fits   func(field []byte) bool
	stated bool // never empty in a served row
}

// A shiftTest recognizes records with fields in the wrong columns.
//
// Such a record has one field split in two, and elsewhere two fields joined in one. The
// fields in between are in the wrong columns. The rules, each with a field that breaks it:
//
//  1. No field contains a mail address with a usual ending: "zoe@telus.com" as location.
//  2. No code contains a separator: "FX,LTE" as technology.
//  3. Location, reference and licensee are not telephone numbers: "613-555-0187".
//  4. Account, licensee, province, latitude and longitude have a rough form:
//     "17" as province, "Main St" as latitude.
//  5. No field is certainly joined; see looksJoined: "Bell,Zoe Planted" as licensee.
//  6. If a field is perhaps joined, such as "12 Main St,Toronto" as location, every
//     witness must have its exact form: "FX" as technology breaks it.
//
// Rule 6 is strict only in doubt, because licensees write placeholders and unusual names
// in good rows.
type shiftTest struct {
	roles           []role // by column
	texts           []int  // columns of rule 3; -1: missing
	always, doubted []witness
}

// shifted returns a test of whether the fields of a record are in the wrong columns.
func shifted(at func(table.Column) int) func(fields [][]byte) bool {
	named := func(name string) int { return at(table.Column{Name: name}) }
	account := at(table.Column{Name: accountNumber, Aliases: []string{olderAccount}})
	contact, phone, mail := named(contactName), named(telephone), named(email)
	licensee, latitude, longitude, province := at(columns[colLicensee]), at(columns[colLatitude]),
		at(columns[colLongitude]), at(columns[colProvince])
	t := &shiftTest{texts: []int{at(columns[colLocation]), at(columns[colReference]), licensee}}
	t.setRole(code, account, at(columns[colLicence]), at(columns[colCategory]), at(columns[colTechnology]), province,
		at(columns[colUploaded]), named("subservice_id"), named("area_id"), named("station_type"))
	t.setRole(prose, append(slices.Clone(t.texts), named("area_name"))...)
	t.setRole(personal, contact, phone, mail)
	for i := len(t.roles) - 2; i >= 0; i-- { // back to the last code
		if (t.roles[i] == free || t.roles[i] == prose) && (t.roles[i+1] == personal || t.roles[i+1] == nearPersonal) {
			t.roles[i] = nearPersonal
		}
	}
	t.always = presentColumns(
		witness{account, isAccount, false}, witness{licensee, isName, false}, witness{province, isWord, false},
		witness{latitude, isFigure, false}, witness{longitude, isFigure, false})
	t.doubted = presentColumns(
		witness{at(columns[colUploaded]), hasDigit, false}, witness{at(columns[colLicence]), hasDigit, true},
		witness{named("area_id"), hasDigit, false},
		witness{account, hasDigit, true}, witness{licensee, isName, true},
		witness{at(columns[colCategory]), isCategory, true},
		witness{at(columns[colTechnology]), isTechnology, true}, witness{province, isProvince, false},
		witness{latitude, isDegrees, true}, witness{longitude, isDegrees, true},
		witness{at(columns[colRecord]), isRecord, false}, witness{contact, isContact, false},
		witness{phone, isTelephone, false}, witness{mail, isMail, false})
	return t.shifted
}

// setRole sets the role of columns; a negative index is a missing column.
func (t *shiftTest) setRole(r role, indexes ...int) {
	for _, i := range indexes {
		if i >= 0 {
			t.roles = append(t.roles, make([]role, max(0, i+1-len(t.roles)))...)
			t.roles[i] = r
		}
	}
}

// shifted applies the rules to the fields of a record.
func (t *shiftTest) shifted(fields [][]byte) bool {
	doubt := false
	for i, f := range fields {
		r := free
		if i < len(t.roles) {
			r = t.roles[i]
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
			certain, likely := looksJoined(f, r)
			if certain {
				return true
			}
			doubt = doubt || likely
		}
	}
	for _, i := range t.texts {
		if i >= 0 && isNumber(fields[i]) {
			return true
		}
	}
	return displaced(t.always, fields) || doubt && displaced(t.doubted, fields)
}

// presentColumns removes the columns that the table lacks.
func presentColumns(all ...witness) []witness {
	return slices.DeleteFunc(all, func(w witness) bool { return w.column < 0 })
}

// displaced reports whether a witness does not have its form.
func displaced(witnesses []witness, fields [][]byte) bool {
	for _, w := range witnesses {
		if f := statedField(fields[w.column]); len(f) == 0 && w.stated || len(f) > 0 && !w.fits(f) {
			return true
		}
	}
	return false
}

// looksJoined reports whether a field with a separator certainly is, or is likely to be,
// several fields. A separator without a blank after it is suspicious: people write a blank
// after a comma. Certain are
//
//   - a separator in a code: "FX,LTE";
//   - near personal columns, a suspicious separator, unless a company's legal form follows:
//     "Bell,Zoe Planted", but not "Ice,Inc.";
//   - in text, two empty parts or placeholders between suspicious separators: "Zoe,-,-,Main St";
//   - in text, a part that is a telephone number: "613-555-0187, Main St";
//   - a part that looks like a mail address at a suspicious separator: "zoe@mail.museum,Main St".
//
// Likely are other suspicious separators ("12 Main St,Toronto"), other separators near
// personal columns ("Ice, Snow and Co"), and an @ within a word ("Yonge@Bloor, Toronto").
func looksJoined(f []byte, r role) (certain, likely bool) {
	if r == code {
		return true, true
	}
	text := r == prose || r == nearPersonal
	before, empty := false, 0 // suspicious separator before the part; empty parts in a row
	for first := true; ; first = false {
		i := indexSeparator(f)
		part, after := f, false
		if i >= 0 {
			part, after = f[:i], i+1 == len(f) || f[i+1] != ' '
		}
		if !first {
			switch {
			case r != nearPersonal:
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

// marks are the characters in a field that need a closer look.
type marks uint8

const (
	separator marks = 1 << iota
	atSign
	entity
)

// separators are the separators that tables can be written with.
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

// statedField returns a field without blanks, nil if it is empty or the placeholder "-".
func statedField(f []byte) []byte {
	if f = bytes.TrimSpace(f); len(f) > 1 || len(f) == 1 && f[0] != '-' {
		return f
	}
	return nil
}

const decimals = "0123456789"

func hasDigit(f []byte) bool {
	return slices.ContainsFunc(f, func(b byte) bool { return b >= '0' && b <= '9' })
}

// isAccount accepts a number in any notation and a single word.
func isAccount(f []byte) bool {
	if bytes.IndexByte(f, '@') >= 0 {
		return false
	}
	return hasDigit(f) && f[0] != '(' && f[0] != '+' || !hasDigit(f) && !bytes.ContainsAny(f, " .")
}

// isName accepts a text with a letter, also of an unknown encoding.
func isName(f []byte) bool {
	return slices.ContainsFunc(f, func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b > unicode.MaxASCII })
}

func isWord(f []byte) bool { return !hasDigit(f) && bytes.IndexByte(f, '@') < 0 }

// isFigure accepts any notation of a number, but not a province or a name.
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
	_, ok := parseNumber(f)
	return ok
}

// isRecord accepts a text that is not a mail address or telephone number.
func isRecord(f []byte) bool { return bytes.IndexByte(f, '@') < 0 && !isNumber(f) }

// isContact accepts a text that is not a telephone number or a legal form.
func isContact(f []byte) bool { return !isNumber(f) && !isForm(f) }

func isTelephone(f []byte) bool { return hasDigit(f) || isNothing(f) }

func isMail(f []byte) bool {
	return bytes.IndexByte(f, '@') >= 0 || isNothing(f) || webAddress.Match(f) ||
		bytes.Contains(f, []byte(" at ")) && bytes.Contains(f, []byte(" dot "))
}

// emptyWords are the usual placeholders, without points at their ends.
var emptyWords = []string{"", "0", "n/a", "na", "n.a", "n/d", "nd", "n.d", "s.o", "s/o", "so", "nil", "no", "none",
	"null",
	"aucun", "aucune", "tbd", "unknown", "inconnu",
	"unlisted", "not available", "not applicable", "non disponible", "sans objet", "no email", "no e-mail", "no phone"}

// isNothing reports whether a field is a placeholder such as "n/a".
func isNothing(f []byte) bool {
	f = bytes.Trim(f, " .-")
	return slices.ContainsFunc(emptyWords,
		func(word string) bool { return len(f) == len(word) && bytes.EqualFold(f, []byte(word)) })
}

// isForm reports whether a part of a name is a legal form such as "Inc.".
func isForm(part []byte) bool {
	part = bytes.Trim(part, " .")
	return slices.ContainsFunc(forms, func(form string) bool { return bytes.EqualFold(part, []byte(form)) }) ||
		bytes.EqualFold(part, []byte("ltée")) || bytes.EqualFold(part, []byte("lt\xe9e")) ||
		bytes.EqualFold(part, []byte("llc"))
}

// isNumber reports whether a field is exactly a telephone number.
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
	// An @ also separates two roads ("Yonge@St.Clair") or is in a model. Only usual
	// endings of Canadian addresses make a mail address.
	mailAddress = regexp.MustCompile(
		`(?i)[^\s@]@([^\s@.,;<>()]+\.)+(ca|com|net|org|info|biz|tel|mobi|gov|edu|coop|io|us|fr|quebec)([^\pL\pN_.-]|\.?$|\.\s)`)
)
