package coverage

// ValueOf returns the value of a cell.
func (l *Layer) ValueOf(col, row int) (Value, error) { return l.cell(col, row) }
