package main

import (
	"encoding/json"
	"maps"
	"testing"
)

// A call has what the tool needs and what makes it busy, and nothing that it has not.
func TestToolArguments(t *testing.T) {
	var one tool
	schema := `{"name":"t","inputSchema":{"properties":{"siteId":{"examples":["fr-1"]},"days":{},"north":{"examples":[49.5]},"operator":{"examples":["SFR"]}},"required":["siteId","north"]}}`
	if err := json.Unmarshal([]byte(schema), &one); err != nil {
		t.Fatal(err)
	}
	got, err := one.arguments(map[string]any{"siteId": "fr-2", "days": 365, "lat": 48.0})
	if want := map[string]any{"siteId": "fr-2", "days": 365, "north": 49.5}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	one.InputSchema.Required = append(one.InputSchema.Required, "secret")
	if got, err := one.arguments(nil); err == nil {
		t.Errorf("%v without a secret", got)
	}
}
