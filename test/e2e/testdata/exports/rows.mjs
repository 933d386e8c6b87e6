// Prints the rows of all Parquet files of a folder, as DuckDB and hyparquet read them.
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const db = await (await DuckDBInstance.create(':memory:')).connect()
const files = {}
for (const name of readdirSync(process.env.DIR)) {
  const path = `${process.env.DIR}/${name}`
  const b = readFileSync(path)
  const sql = `select * exclude (geometry, bbox) from read_parquet('${path}')`
  files[name] = {
    duckdb: (await db.runAndReadAll(sql)).getRowObjectsJson(),
    hyparquet: await parquetReadObjects({ file: b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength), compressors })
  }
}
const plain = (_, v) => typeof v === 'bigint' ? Number(v) : v ?? null // hyparquet has undefined for a list that is null
const day = v => typeof v === 'string' && /^\d{4}-\d\d-\d\dT00:00:00.000Z$/.test(v) ? v.slice(0, 10) : v
const text = Buffer.from(JSON.stringify(files, (k, v) => day(plain(k, v))))
for (let n = 0; n < text.length;) n += writeSync(1, text, n)
