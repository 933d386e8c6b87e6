package anfr

import (
	"relais/internal/fold"
	"relais/market"
)

// departmentOf returns the department of a row from what it states of it: its column, or else the
// beginning of an INSEE code. It is nil when neither says it.
func departmentOf(stated, insee []byte) []byte {
	if len(stated) > 0 {
		return stated
	}
	if insee = padZeros(insee, 5); len(insee) < 5 {
		return nil
	}
	if overseas := string(insee[:2]); overseas == "97" || overseas == "98" {
		return insee[:3]
	}
	return insee[:2]
}

// AreaOf returns the market of a published row, and the position of its department in the market's
// areas. ok is false for a territory that no market has.
func AreaOf(department, insee string) (code market.Code, area int, ok bool) {
	in := string(departmentOf([]byte(department), []byte(insee)))
	for _, code := range Markets {
		if area, ok := market.Get(code).Area(in); ok {
			return code, area, true
		}
	}
	return "", 0, false
}

// OperatorOf returns the position of an operator in the market's table by its published name. ok is
// false for a name that the market does not serve.
func OperatorOf(m *market.Market, published string) (at int, ok bool) {
	key, ok := spellings[fold.String(published)]
	if !ok {
		return 0, false
	}
	return m.Operator(key)
}
