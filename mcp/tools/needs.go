package tools

import (
	"sync"

	"relais/api"
	"relais/catalog"
)

// needs are the datasets without which a tool of a group would answer as if they were
// empty, by the tool's name. Tools of registers are not here: their questions fail by themselves while
// nothing is loaded.
var needs = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, group := range []struct {
		tools []*Tool
		data  []string
	}{
		{archiveTools, []string{catalog.Archives}},
		{changeTools, []string{catalog.Archives}},
		{unavailableTools, []string{catalog.DataOutages}},
		{historyTools, []string{catalog.DataHistory}},
		{coverageMapTools, []string{catalog.DataCoverage}},
		{photoTools, []string{catalog.DataPhotos}},
		{communityTools, []string{catalog.DataOutages, catalog.DataPhotos}},
		{submitTools, []string{api.DataPeople, catalog.DataOutages}},
		{meTools, []string{api.DataPeople, catalog.DataOutages}},
	} {
		for _, t := range group.tools {
			all[t.Name] = group.data
		}
	}
	return all
})

// Usable returns an error when this server cannot use a dataset that the tool needs.
func (r *Reading) Usable(t *Tool) error { return r.Env.Usable(needs()[t.Name]...) }
