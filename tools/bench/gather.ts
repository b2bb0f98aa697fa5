/**
 * `node tools/bench/gather.ts FOLDER OUT`: lays out the files of tools/bench/fetched.tsv as the benches expect a corpus, from packages unpacked below FOLDER.
 * Files are known by their SHA-256, wherever they lie; of a shapefile the one that ends in `.shp`, which is packed with those beside it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const [folder, out] = process.argv.slice(2)
if (folder === undefined || out === undefined) throw new Error('expected the folder of unpacked packages, and the one to write to')

const wanted = new Map<string, string>()
for (const line of readFileSync(new URL('fetched.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')) {
  const [path = '', sha256 = ''] = line.split('\t')
  wanted.set(sha256, path)
}
const LARGEST = 8 * 2 ** 20

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const from = join(folder, name)
  const found = lstatSync(from)
  if (!found.isFile() || found.size > LARGEST) continue
  const sha256 = createHash('sha256').update(readFileSync(from)).digest('hex')
  const path = wanted.get(sha256)
  if (path === undefined) continue
  wanted.delete(sha256)
  const to = resolve(out, path)
  mkdirSync(dirname(to), { recursive: true })
  if (path.endsWith('.zip')) packed(from, to)
  else copyFileSync(from, to)
}
for (const path of wanted.values()) console.log(`not found: ${path}`)

/** A shapefile and what belongs to it. */
function packed(shp: string, zip: string): void {
  const stem = basename(shp).slice(0, -'shp'.length)
  const parts = readdirSync(dirname(shp)).filter((each) => each.startsWith(stem) && /\.(shp|shx|dbf|prj|cpg|sbn|sbx|qix)$/i.test(each))
  spawnSync('zip', ['-q', '-X', zip, ...parts.sort()], { cwd: dirname(shp) })
}
