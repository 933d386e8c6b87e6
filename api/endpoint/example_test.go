package endpoint_test

import (
	"context"
	"fmt"

	"relais/api/endpoint"
)

type towers []string // the data, as an operation sees it

type towersParams struct {
	Limit int `param:"limit" default:"2" min:"1" max:"10" doc:"Most towers to answer."`
}

func (t towers) list(_ context.Context, p *towersParams) ([]string, error) {
	return t[:min(p.Limit, len(t))], nil
}

// An operation is declared once: its parameters are bound, checked and documented from one
// struct.
func Example() {
	list := endpoint.New(endpoint.Decl{Name: "towers.list", Path: "/towers", FailureName: "TOWERS"}, towers.list)
	ask := func(limit string) {
		call, err := list.Bind(func(*endpoint.Param) (string, error) { return limit, nil })
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := call.Do(context.Background(), towers{"Eiffel", "Bel", "Perret"})
		fmt.Println(call.Key, answer, err)
	}
	ask("")
	ask("3")
	ask("eleven")
	fmt.Println(list.FailureCode)
	// Output:
	// towers.list [Eiffel Bel] <nil>
	// towers.list&limit=3 [Eiffel Bel Perret] <nil>
	// limit: "eleven" is not allowed; a whole number from 1 to 10
	// EXTERNAL_TOWERS_FAILED
}
