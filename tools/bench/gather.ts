/**
 * Collects the files listed in tools/bench/fetched.tsv into a corpus folder: `node tools/bench/gather.ts FOLDER OUT`. A third argument
 * names another list (`scored.tsv`: the pictures of `npm run bench -- scores`). FOLDER contains unpacked packages. Files are found by their SHA-256 at any path. A shapefile is found by its `.shp` and zipped with its other parts.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const [folder, out, list = 'fetched.tsv'] = process.argv.slice(2)
if (folder === undefined || out === undefined)
  throw new Error('usage: node tools/bench/gather.ts FOLDER OUT [LIST] (FOLDER: unpacked packages, OUT: corpus to write)')

const wanted = new Map<string, string>()
for (const line of readFileSync(new URL(list, import.meta.url), 'utf8')
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
  if (path.endsWith('.zip')) zipShapefile(from, to)
  else copyFileSync(from, to)
}
for (const path of wanted.values()) console.log(`not found: ${path}`)

/** Zips a shapefile and its parts. */
function zipShapefile(shp: string, zip: string): void {
  const stem = basename(shp).slice(0, -'shp'.length)
  const parts = readdirSync(dirname(shp)).filter((each) => each.startsWith(stem) && /\.(shp|shx|dbf|prj|cpg|sbn|sbx|qix)$/i.test(each))
  spawnSync('zip', ['-q', '-X', zip, ...parts.sort()], { cwd: dirname(shp) })
}
