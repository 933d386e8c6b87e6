package tools

import (
	"sync"

	"relais/ops"
)

// needs are the datasets without which a tool of a group would answer as if they were
// empty, by the tool's name.
var needs = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, group := range []struct {
		tools []*Tool
		data  []string
	}{
		{archiveTools, []string{ops.DataArchives}},
		{unavailableTools, []string{ops.DataOutages}},
		{photoTools, []string{ops.DataPhotos}},
		{communityTools, []string{ops.DataOutages, ops.DataPhotos}},
		{submitTools, []string{ops.DataPeople, ops.DataOutages}},
		{meTools, []string{ops.DataPeople, ops.DataOutages}},
	} {
		for _, t := range group.tools {
			all[t.Name] = group.data
		}
	}
	return all
})

// Usable returns an error when this server cannot use a dataset that the tool needs.
func (r *Reading) Usable(t *Tool) error { return r.Env.CheckUsable(needs()[t.Name]...) }
