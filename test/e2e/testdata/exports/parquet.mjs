// Reads the Parquet exports with DuckDB and hyparquet, and compares them with the CSV ones.
import { readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const { PARQUET, EMISSIONS, CSV, EMISSIONS_CSV } = process.env
const db = await (await DuckDBInstance.create(':memory:')).connect()
const ask = async sql => (await db.runAndReadAll(sql)).getRowObjectsJson()
const count = async sql => Number((await ask(`select count(*) as n from ${sql}`))[0].n)
const csv = path => `read_csv('${path}', header = true, all_varchar = true)`

// Column by column: text as it is, others as CSV writes them.
const columns = await ask(`describe select * from '${PARQUET}'`)
const cell = ({ column_name: name, column_type: type }) => type.endsWith('[]')
  ? `coalesce(array_to_string(list_transform(${name}, x -> case when try_cast(x as double) is null then x::varchar else
      regexp_replace(x::varchar, '[.]0$', '') end), ';'), '')`
  : type === 'DOUBLE' ? `coalesce(regexp_replace(${name}::varchar, '[.]0$', ''), '')` : `coalesce(${name}::varchar, '')`
let differences = 0
for (const column of columns.filter(c => c.column_name !== 'geometry' && c.column_name !== 'bbox')) {
  const n = await count(`(select siteKey, ${cell(column)} as v from '${PARQUET}') p
    join (select siteKey, coalesce(${column.column_name}, '') as v from ${csv(CSV)}) c using (siteKey) where p.v <> c.v`)
  if (n > 0) console.error(column.column_name, column.column_type, n)
  differences += n
}

// hyparquet decodes the geometry by itself, as GeoJSON.
const rows = await parquetReadObjects({ file: arrayBuffer(readFileSync(PARQUET)), compressors })
const misplaced = rows.filter(({ geometry: g, lat, lng, bbox }) => g.type !== 'Point' || g.coordinates[0] !== lng ||
  g.coordinates[1] !== lat || bbox.xmin !== lng || bbox.ymax !== lat).length

function arrayBuffer (b) { return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength) }

console.log(JSON.stringify({
  duckdb: await count(`'${PARQUET}'`),
  hyparquet: rows.length,
  differences,
  misplaced,
  emissions: await count(`'${EMISSIONS}'`),
  emissionsInCSV: await count(csv(EMISSIONS_CSV))
}))
