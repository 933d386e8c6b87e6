package areas

import "strings"

// columnsOf returns the columns that a CREATE TABLE names, and which of them is the last one with a DEFAULT that is not NULL,
// -1 for none.
func columnsOf(sql string) (names []string, filled int, err error) {
	filled = -1
	var definition []word // without what is in parentheses
	end := func() error {
		d := definition
		definition = nil
		if len(d) == 0 || !d[0].quoted && isConstraint[strings.ToUpper(d[0].text)] {
			return nil
		}
		for i, w := range d[1:] {
			switch {
			case w.is("AS"):
				return unsupported("column %.80q is computed", d[0].text)
			case w.is("DEFAULT") && !(i+2 < len(d) && d[i+2].is("NULL")):
				filled = len(names)
			}
		}
		names = append(names, d[0].text)
		if len(names) > maxColumns {
			return unsupported("a table has over %d columns", maxColumns)
		}
		return nil
	}
	depth := 0
	for rest := sql; depth > 0 || names == nil; {
		var w word
		if w, rest = nextWord(rest); w.text == "" && !w.quoted {
			return nil, 0, damaged("the columns of a table are cut")
		}
		switch {
		case w.is("("):
			depth++
		case w.is(")"):
			depth--
		}
		switch {
		case depth == 1 && w.is(","), depth == 0 && w.is(")"):
			if err := end(); err != nil {
				return nil, 0, err
			}
		case depth == 1 && !w.is("(") && !w.is(")"):
			definition = append(definition, w)
		}
		if depth == 0 && w.is(")") && len(names) == 0 {
			return nil, 0, damaged("a table has no columns")
		}
	}
	return names, filled, nil
}

// isConstraint has the words that begin a constraint of a table in the place of a column.
var isConstraint = map[string]bool{"CONSTRAINT": true, "PRIMARY": true, "UNIQUE": true, "CHECK": true, "FOREIGN": true}

// A word is a name or a sign of SQL.
type word struct {
	text   string
	quoted bool
}

// is reports whether w is a word or sign of the language.
func (w word) is(text string) bool { return !w.quoted && strings.EqualFold(w.text, text) }

// nextWord returns the first word and what follows it. At the end, the word is empty.
func nextWord(sql string) (word, string) {
	for {
		sql = strings.TrimLeft(sql, " \t\r\n\f")
		end := ""
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			end = "*/"
		}
		if end == "" {
			break
		}
		_, sql, _ = strings.Cut(sql[2:], end)
	}
	if sql == "" {
		return word{}, ""
	}
	first := sql[0]
	if first == '[' {
		text, rest, _ := strings.Cut(sql[1:], "]")
		return word{text, true}, rest
	}
	if strings.IndexByte("\"'`", first) >= 0 {
		return quoted(sql[1:], first)
	}
	n := 0
	for n < len(sql) && (sql[n] == '_' || sql[n] == '$' || sql[n] >= 0x80 || sql[n] >= '0' && sql[n] <= '9' ||
		sql[n]|0x20 >= 'a' && sql[n]|0x20 <= 'z') {
		n++
	}
	n = max(n, 1) // a sign
	return word{sql[:n], false}, sql[n:]
}

// quoted returns the text up to a quote. Two quotes are one of the text.
func quoted(sql string, quote byte) (word, string) {
	var text []byte
	for i := 0; i < len(sql); i++ {
		if sql[i] != quote {
			text = append(text, sql[i])
			continue
		}
		if i+1 == len(sql) || sql[i+1] != quote {
			return word{string(text), true}, sql[i+1:]
		}
		text = append(text, quote)
		i++
	}
	return word{string(text), true}, ""
}
