package ised

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"unicode"

	"relais/ingest/table"
)

// Columns of personal data. They are looked at only to see that nothing else stands
// in them: then a comma too many and one too few have moved them into others.
const (
	contactName = "contact_name"
	telephone   = "business_telephone"
	email       = "email_address"
)

// shifted tests whether the fields of a record stand under other names than theirs.
// They are known by what their neighbours do not have: an account number has digits and
// no blank, a licensee's name letters, a telephone number digits and no @, an e-mail
// address an @, and a place is called neither like a telephone nor like an e-mail
// address.
func shifted(at func(table.Column) int) func(fields [][]byte) bool {
	account := at(table.Column{Name: "account_number", Aliases: []string{"NEW_ACCOUNT"}})
	licensee, location := at(columns[colLicensee]), at(columns[colLocation])
	contact, phone, mail := at(table.Column{Name: contactName}), at(table.Column{Name: telephone}), at(table.Column{Name: email})
	return func(fields [][]byte) bool {
		field := func(i int) []byte {
			if i < 0 {
				return nil
			}
			return stated(fields[i])
		}
		if f := field(account); len(f) > 0 && (!bytes.ContainsAny(f, decimals) || bytes.ContainsAny(f, " ,")) {
			return true
		}
		if f := field(licensee); len(f) > 0 && !bytes.ContainsFunc(f, unicode.IsLetter) && isASCII(f) {
			return true
		}
		if f := field(phone); len(f) > 0 && (!bytes.ContainsAny(f, decimals) || bytes.IndexByte(f, '@') >= 0) {
			return true
		}
		if f := field(mail); len(f) > 0 && bytes.IndexByte(f, '@') < 0 && !webAddress.Match(f) {
			return true
		}
		if f := field(location); len(f) > 0 && bytes.IndexByte([]byte("+("+decimals), f[0]) >= 0 && phoneNumber.Match(f) {
			return true
		}
		for i, f := range fields {
			if i != contact && i != phone && i != mail && hasAddress(f) {
				return true
			}
		}
		return false
	}
}

// stated returns a field, empty when it says in one of the usual ways that there is
// nothing to say.
func stated(f []byte) []byte {
	f = bytes.TrimSpace(f)
	if slices.ContainsFunc(noValues, func(word string) bool { return len(f) == len(word) && bytes.EqualFold(f, []byte(word)) }) {
		return nil
	}
	return f
}

const decimals = "0123456789"

var noValues = []string{"-", "--", ".", "0", "n/a", "na", "nil", "none", "null", "tbd", "unknown"}

func isASCII(b []byte) bool {
	return !bytes.ContainsFunc(b, func(r rune) bool { return r > unicode.MaxASCII })
}

var (
	// Ten digits, with a country code and an extension or without.
	phoneNumber = regexp.MustCompile(`(?i)^(\+?1[-. ]*)?\(?[2-9]\d\d\)?[-. /]*\d{3}[-. ]*\d{4}[,; ]*((x|ext|poste|#)[-:. ]*\d+)?$`)
	webAddress  = regexp.MustCompile(`(?i)^[^\s@]+\.[a-z]{2,}(/\S*)?$`)
	mailAddress = regexp.MustCompile(`[^\s@]\s*@\s*[^\s@]+\.[A-Za-z]{2,}`)
)

// hasAddress tells whether a field has an e-mail address in it. An @ alone stands
// between two roads.
func hasAddress(f []byte) bool {
	if bytes.IndexByte(f, '&') >= 0 { // the @ may be an entity
		f = []byte(html.UnescapeString(string(f)))
	}
	return bytes.IndexByte(f, '@') >= 0 && mailAddress.Match(f)
}
