/**
 * The house has floors, and imports only go down: http → tasks → codec → formats → containers → bytes | quality | wasm;
 * http, tasks and the Durable Objects also use store. A room never imports another room: it borrows it through `options.inner`.
 * Prints every import that breaks this and exits with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What each floor may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  entry: ['http', 'tasks', 'codec', 'lists', 'store', 'objects', 'env'],
  http: ['tasks', 'codec', 'facts', 'store', 'env', 'door', 'bytes'],
  objects: ['tasks', 'store', 'env', 'codec', 'bytes'],
  tasks: ['codec', 'facts', 'store', 'env', 'door', 'bytes'],
  store: ['tasks', 'codec', 'door', 'env', 'facts', 'bytes'],
  env: ['store'],
  codec: ['door', 'facts', 'room', 'containers', 'raster', 'bytes', 'quality', 'wasm'],
  /** The interface of the rooms, which both sides know. */
  door: ['facts', 'bytes'],
  lists: ['door', 'facts', 'room'],
  room: ['door', 'facts', 'containers', 'raster', 'bytes', 'quality', 'wasm'],
  /** formats/format.ts, formats/index.ts, formats/<id>/format.ts */
  facts: [],
  containers: ['door', 'facts', 'raster', 'bytes', 'quality', 'wasm'],
  raster: ['door', 'facts', 'bytes', 'quality', 'wasm'],
  bytes: ['wasm', 'door'],
  quality: ['wasm', 'bytes'],
  wasm: ['door', 'bytes', 'quality'],
}

const DOOR = ['codec', 'source', 'sink', 'segmented'].map((name) => `src/codec/${name}.ts`)

function floorOf(path: string): string | undefined {
  if (/^src\/[^/]+\.ts$/.test(path)) return path === 'src/env.ts' ? 'env' : 'entry'
  if (DOOR.includes(path)) return 'door'
  if (path === 'src/formats/press.ts' || path === 'src/formats/media.ts') return 'lists'
  if (/^src\/formats\/([^/]+\/)?(format|index)\.ts$/.test(path)) return 'facts'
  // Modules beside the rooms that several of them share.
  if (/^src\/formats\/[^/]+\.ts$/.test(path)) return 'containers'
  if (path.startsWith('src/formats/')) return 'room'
  if (path.startsWith('durable-objects/')) return 'objects'
  if (path.startsWith('wasm/')) return 'wasm'
  return /^src\/(http|tasks|codec|store|containers|raster|bytes|quality)\//.exec(path)?.[1]
}

/** The room a file belongs to: `png` of `src/formats/png/png.ts`. */
const roomOf = (path: string) => /^src\/formats\/([^/]+)\//.exec(path)?.[1]

const problems: string[] = []
for (const path of globSync('{src,durable-objects,wasm}/**/*.ts')) {
  const floor = floorOf(path)
  if (!floor) {
    problems.push(`${path}: on no floor of the house`)
    continue
  }
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/^\s*(?:import|export)\b[^'"]*?from\s+'(\.[^']+)'/gm)) {
    const imported = normalize(join(dirname(path), target))
    const below = floorOf(imported)
    if (!below) problems.push(`${path}: imports ${target}, which is outside the house`)
    else if (below === 'room' && floor === 'room' && roomOf(imported) !== roomOf(path))
      problems.push(`${path}: imports another room, ${target}`)
    else if (below !== floor && !MAY_IMPORT[floor]?.includes(below)) problems.push(`${path}: ${floor} may not import ${below} (${target})`)
  }
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
