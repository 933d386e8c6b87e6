// Package data embeds the tables of relais: codes and labels of the
// authorities' reference tables, the addresses of their files, towns, and
// the land and towns of countries. It has no rows of any register.
package data

import "embed"

// Files holds anfr/ (reference tables), update/ (addresses of files), demo/ (towns of the demonstration), land.csv
// (where land is, from Natural Earth), areas.csv (the same of departments) and towns.csv (towns of the markets, from GeoNames, CC BY 4.0).
//
//go:embed anfr demo update areas.csv land.csv towns.csv
var Files embed.FS
