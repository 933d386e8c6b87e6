package tools

import (
	"sync"

	"relais/api"
)

// needs are the datasets without which a tool of a group would answer as if they were
// empty, by the tool's name.
var needs = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, group := range []struct {
		tools []*Tool
		data  []string
	}{
		{archiveTools, []string{api.DataArchives}},
		{changeTools, []string{api.DataArchives}},
		{unavailableTools, []string{api.DataOutages}},
		{photoTools, []string{api.DataPhotos}},
		{communityTools, []string{api.DataOutages, api.DataPhotos}},
		{submitTools, []string{api.DataPeople, api.DataOutages}},
		{meTools, []string{api.DataPeople, api.DataOutages}},
	} {
		for _, t := range group.tools {
			all[t.Name] = group.data
		}
	}
	return all
})

// Usable returns an error when this server cannot use a dataset that the tool needs.
func (r *Reading) Usable(t *Tool) error { return r.Env.CheckUsable(needs()[t.Name]...) }
