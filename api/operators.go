package api

import (
	"fmt"
	"slices"
	"strings"

	"relais/api/endpoint"
	"relais/index"
	"relais/internal/fold"
	"relais/market"
)

// An operatorName is the key of an operator, in upper case.
type operatorName string

// UnmarshalText accepts any text in any case. Whether the market has the operator is
// checked once the market is known.
func (o *operatorName) UnmarshalText(b []byte) error {
	*o = operatorName(fold.UpperASCII(string(b)))
	return nil
}

// Position returns the position of the operator in the market's table, index.Any for
// ALL.
func (o operatorName) Position(m *market.Market) (int, error) {
	if o == market.AllOperators {
		return index.Any, nil
	}
	if i, ok := m.OperatorNamed(string(o)); ok {
		return i, nil
	}
	allowed := append(m.OperatorKeys(), market.AllOperators)
	return 0, &endpoint.ParamError{Param: "operator", Value: string(o), Code: codeInvalidOperator, Allowed: allowed,
		Want: fmt.Sprintf("%s has %s", m.Code, strings.Join(allowed, ", "))}
}

// checkMarkets fails unless one of the markets has the operator.
func (o operatorName) checkMarkets(markets []*market.Market) error {
	var keys []string
	for _, m := range markets {
		if _, err := o.Position(m); err == nil {
			return nil
		}
		keys = append(keys, m.OperatorKeys()...)
	}
	slices.Sort(keys)
	allowed := append(slices.Compact(keys), market.AllOperators)
	return &endpoint.ParamError{Param: "operator", Value: string(o), Code: codeInvalidOperator, Allowed: allowed,
		Want: "one of " + strings.Join(allowed, ", ")}
}

// operatorNames are operators of a market, or of several.
type operatorNames []operatorName

// names returns the operators, nil for all.
func (l operatorNames) names() []operatorName {
	if slices.Contains(l, market.AllOperators) {
		return nil
	}
	return l
}

// of reports whether a market has one of the operators.
func (l operatorNames) of(m *market.Market) bool {
	c, has := l.presentIn(m)
	return has && c != nil
}

// known returns an error unless a market has one of the operators, or all are meant.
func (l operatorNames) known() error {
	if l.names() == nil || slices.ContainsFunc(market.All, l.of) {
		return nil
	}
	_, err := l.Positions(market.Get(market.Default))
	return err
}

// Texts returns the operators as texts, nil for all.
func (l operatorNames) Texts() (list []string) {
	for _, name := range l.names() {
		list = append(list, string(name))
	}
	return list
}

// Positions returns the positions of the operators in the market's table, in its order; nil for
// ALL.
func (l operatorNames) Positions(m *market.Market) (c index.Choice, err error) {
	for _, name := range l.names() {
		i, err := name.Position(m)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	slices.Sort(c)
	return c, nil
}

// canonical returns the operators as answers name them. The market has them.
func (l operatorNames) canonical(m *market.Market) string {
	if c, err := l.Positions(m); err == nil && c != nil {
		return strings.Join(m.KeysOf(c), ",")
	}
	return market.AllOperators
}

// presentIn returns the positions of the operators that the market has, nil for all, and
// whether it has any of them.
func (l operatorNames) presentIn(m *market.Market) (c index.Choice, has bool) {
	names := l.names()
	for _, name := range names {
		if i, err := name.Position(m); err == nil && !slices.Contains(c, i) {
			c = append(c, i)
		}
	}
	slices.Sort(c)
	return c, len(c) > 0 || len(names) == 0
}

// canonicalIn is like canonical, for operators of several markets.
func (l operatorNames) canonicalIn(markets []*market.Market) string {
	var keys []string
	for _, m := range markets {
		c, _ := l.presentIn(m)
		for _, key := range m.KeysOf(c) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	if len(keys) == 0 {
		return market.AllOperators
	}
	return strings.Join(keys, ",")
}

// checkMarkets fails if one of the operators is in no market of the list.
func (l operatorNames) checkMarkets(markets []*market.Market) error {
	for _, name := range l.names() {
		if err := name.checkMarkets(markets); err != nil {
			return err
		}
	}
	return nil
}

// String returns the operators as a parameter has them.
func (l operatorNames) String() string {
	list := make([]string, len(l))
	for i, name := range l {
		list[i] = string(name)
	}
	return strings.Join(list, ",")
}
