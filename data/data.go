// Package data embeds the tables that relais ships: codes and labels of the
// authorities' reference tables, where the authorities publish their files, and
// what the demo generator makes its country from. It holds no rows of any register.
package data

import "embed"

// Files holds anfr/ (reference tables), update/ (where the files are) and demo/
// (towns).
//
//go:embed anfr demo update
var Files embed.FS
