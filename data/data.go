// Package data embeds the tables of relais: codes and labels of the
// authorities' reference tables, the addresses of their files, and
// the land and towns of the demo generator. It has no rows of any register.
package data

import "embed"

// Files holds anfr/ (reference tables), update/ (addresses of files) and demo/
// (land and towns).
//
//go:embed anfr demo update
var Files embed.FS
