// Package data embeds the tables that relais ships: codes and labels of the
// authorities' reference tables, and what the demo generator makes its country
// from. It holds no rows of any register.
package data

import "embed"

// Files holds anfr/ (reference tables) and demo/ (towns).
//
//go:embed anfr demo
var Files embed.FS
