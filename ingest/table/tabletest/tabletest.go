// Package tabletest changes the columns of tables, as those who publish them may.
package tabletest

import "slices"

// Renamed is the name of a column that was renamed.
const Renamed = "renamed_column"

// Change returns a table, whose first row is its header, with the column at renamed, dropped, doubled with the values
// of other rows, or emptied.
func Change(rows [][]string, how string, at int) (changed [][]string) {
	for i, row := range rows {
		row = slices.Clone(row)
		switch {
		case how == "renamed" && i == 0:
			row[at] = Renamed
		case how == "dropped":
			row = slices.Delete(row, at, at+1)
		case how == "doubled" && i == 0:
			row = append(row, row[at])
		case how == "doubled":
			row = append(row, rows[1+i%(len(rows)-1)][at])
		case how == "emptied" && i > 0:
			row[at] = ""
		}
		changed = append(changed, row)
	}
	return changed
}
