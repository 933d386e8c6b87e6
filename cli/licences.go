package cli

import (
	"bufio"
	"fmt"

	"relais/internal/licences"
)

type licencesCommand struct {
	List bool `help:"Only what the program contains, a line each, without the texts."`
	described
}

// Run prints the licences.
func (c *licencesCommand) Run(streams Streams) error {
	table, _, parts, err := c.contents()
	if err != nil {
		return err
	}
	self := table.Self
	self.Version = version()
	parts = append([]licences.Part{self}, parts...) // the build information has only other modules
	w := bufio.NewWriter(streams.Out)
	fmt.Fprintf(w, "relais %s contains:\n\n", self.Version)
	if err := licences.WriteList(w, parts); err != nil {
		return err
	}
	if !c.List {
		if err := table.WriteTexts(w, parts); err != nil {
			return err
		}
	}
	return w.Flush()
}
