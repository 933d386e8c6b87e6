#!/bin/sh
# Makes the archives of this folder with GDAL 3.6, sqlite3 3.40 and 7z 26.02. Two squares of 2 km with a hole of 1 km in
# the first, and one square of 3 km: 7 and 9 km².
set -e
out=$PWD
cd "$(mktemp -d)"
cat >a.geojson <<'END'
{"type":"FeatureCollection","features":[
{"type":"Feature","properties":{"operateur":20801,"debit":2.5,"niveau":"TBC","dept":null},"geometry":{"type":"MultiPolygon","coordinates":[
[[[650000,6860000],[652000,6860000],[652000,6862000],[650000,6862000],[650000,6860000]],
[[650500,6860500],[650500,6861500],[651500,6861500],[651500,6860500],[650500,6860500]]],
[[[660000,6860000],[662000,6860000],[662000,6862000],[660000,6862000],[660000,6860000]]]]}},
{"type":"Feature","properties":{"operateur":-5,"debit":1e21,"niveau":"très «bon»","dept":null},"geometry":{"type":"MultiPolygon","coordinates":[
[[[670000,6860000],[673000,6860000],[673000,6863000],[670000,6863000],[670000,6860000]]]]}}]}
END
ogr2ogr -f GPKG 2026_T2_couv_test.gpkg a.geojson -a_srs EPSG:2154 -nln couv -nlt MULTIPOLYGON -lco SPATIAL_INDEX=NO --config OGR_CURRENT_DATE 2026-09-18T08:00:00Z
for t in $(sqlite3 2026_T2_couv_test.gpkg "select name from sqlite_schema where type = 'trigger'"); do
	sqlite3 2026_T2_couv_test.gpkg "drop trigger $t"
done
sqlite3 2026_T2_couv_test.gpkg "delete from gpkg_spatial_ref_sys where srs_id != 2154; update gpkg_spatial_ref_sys set definition = ''; pragma page_size = 512; vacuum"
cp 2026_T2_couv_test.gpkg other.gpkg
echo hello >readme.txt
rm -f "$out"/*.7z
7z a -mx=5 -m0=LZMA "$out/lzma.7z" 2026_T2_couv_test.gpkg
7z a -mx=5 -m0=LZMA2 "$out/lzma2.7z" 2026_T2_couv_test.gpkg
7z a -mx=5 -mhc=off "$out/plain.7z" 2026_T2_couv_test.gpkg # the header is not packed
7z a -mx=5 "$out/solid.7z" readme.txt 2026_T2_couv_test.gpkg
7z a -mx=5 "$out/two.7z" 2026_T2_couv_test.gpkg other.gpkg
7z a -mx=5 "$out/none.7z" readme.txt
7z a -mx=5 -psecret "$out/encrypted.7z" 2026_T2_couv_test.gpkg
7z a -mx=5 -psecret -mhe=on "$out/encrypted-header.7z" 2026_T2_couv_test.gpkg
7z a -mx=5 -m0=BZip2 "$out/bzip2.7z" 2026_T2_couv_test.gpkg
7z a -mx=5 -m0=BCJ -m1=LZMA "$out/filtered.7z" 2026_T2_couv_test.gpkg
7z a -mx=0 "$out/stored.7z" readme.txt 2026_T2_couv_test.gpkg
