package endpoint

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxValues is the number of values that a list may have, unless it states another.
const maxValues = 50

// itemOf returns the parameter that the values of a list are bound as, nil if t is not a list.
func itemOf(p Param) *Param {
	if p.Type.Kind() != reflect.Slice || p.unmarshals {
		return nil
	}
	item := Param{Name: p.Name, Type: p.Type.Elem(), Max: strconv.Itoa(maxText)}
	item.describeType()
	return &item
}

// SplitList splits a text at its commas into at most a number of values. Its error says what is allowed.
func SplitList(text string, most int) ([]string, error) {
	parts := strings.Split(text, ",")
	if len(parts) > most {
		return nil, fmt.Errorf("at most %d values", most)
	}
	for i, part := range parts {
		if parts[i] = strings.TrimSpace(part); parts[i] == "" {
			return nil, errors.New("values separated by single commas")
		}
		if utf8.RuneCountInString(part) > maxText {
			return nil, fmt.Errorf("values of at most %d characters", maxText)
		}
	}
	return parts, nil
}

// setList sets a list from values with commas in between. It keeps each value once, in the order of their texts: one
// question has one key.
func (p *Param) setList(f reflect.Value, raw string) error {
	parts, err := SplitList(raw, p.maxItems())
	if err != nil {
		return err
	}
	values := make([]reflect.Value, len(parts))
	for i, part := range parts {
		values[i] = reflect.New(p.item.Type).Elem()
		if err := p.item.set(values[i], part); err != nil {
			return err
		}
	}
	slices.SortFunc(values, func(a, b reflect.Value) int { return strings.Compare(textOf(a), textOf(b)) })
	values = slices.CompactFunc(values, reflect.Value.Equal)
	list := reflect.MakeSlice(f.Type(), 0, len(values))
	f.Set(reflect.Append(list, values...))
	return nil
}

func (p *Param) maxItems() int {
	if n, err := strconv.Atoi(p.Max); err == nil {
		return n
	}
	return maxValues
}

// textOf returns a value as a parameter has it: values of lists have commas in between.
func textOf(f reflect.Value) string {
	if f.Kind() == reflect.String {
		return f.String()
	}
	if f.Kind() != reflect.Slice {
		return fmt.Sprint(f.Interface())
	}
	texts := make([]string, f.Len())
	for i := range texts {
		texts[i] = textOf(f.Index(i))
	}
	return strings.Join(texts, ",")
}

// sameValue reports whether two values of one parameter are equal.
func sameValue(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice {
		return textOf(a) == textOf(b)
	}
	return a.Equal(b)
}

// listSchema returns the schema of a list.
func (p *Param) listSchema(s *schemas) Schema {
	sch := Schema{"type": "array", "items": s.schemaOf(p.item.Type)}
	if p.Default != "" {
		sch["default"] = strings.Split(p.Default, ",")
	}
	return sch
}
