// Package data embeds the tables of relais: codes and labels of the
// authorities' reference tables, the addresses of their files, towns, and
// the land and towns of the demo generator. It has no rows of any register.
package data

import "embed"

// Files holds anfr/ (reference tables), update/ (addresses of files), demo/
// (land and towns) and towns.csv (towns of the markets, from GeoNames, CC BY 4.0).
//
//go:embed anfr demo update towns.csv
var Files embed.FS
