/**
 * Imports run one way, as the table "The house" in CONTRIBUTING.md says; this reads that table and holds the code to it.
 * Also: no module imports itself in a circle (types included), a format never imports another format, and nothing but what
 * `src/media.ts` reaches imports an engine under the GPL. Prints every import that breaks this and exits with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

interface Room {
  readonly name: string
  /** Prefixes of paths, or whole paths; the longest that fits decides. */
  readonly paths: readonly string[]
  readonly mayImport: readonly string[]
}

const ROOMS = readTable(readFileSync('CONTRIBUTING.md', 'utf8'))
const FILES = globSync('{src,durable-objects,wasm,test,scripts,bench,console,cli,clients}/**/*.{ts,tsx}', {
  exclude: (path) => /(^|\/)(node_modules|dist)(\/|$)/.test(String(path)),
})
/** Both `import … from './x.ts'` and `import('./x.ts')`. */
const IMPORT = /(?:^\s*(?:import|export)\b[^'"]*?from\s+|\bimport\(\s*)'(\.[^']+)'/gm

/** Rows of the house's table: | `folder/`, … | what it holds | folders it may import |. */
function readTable(text: string): Room[] {
  const [, section = ''] = text.split('## The house\n')
  const rows = section.split('\n## ')[0]?.matchAll(/^\| (`.+?) \| .+ \| (.*?) ?\|$/gm) ?? []
  return [...rows].map(([, folders = '', below = '']) => {
    const paths = [...folders.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    return { name: paths[0] ?? '', paths, mayImport: [...below.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path) }
  })
}

/** `*` in a path of the table stands for one name. */
const fits = (path: string, file: string) =>
  path.includes('*') ? new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}`).test(file) : file.startsWith(path)

function roomOf(file: string): Room | undefined {
  const found = ROOMS.flatMap((room) => room.paths.filter((path) => fits(path, file)).map((path) => ({ room, length: path.length })))
  return found.sort((a, b) => b.length - a.length)[0]?.room
}

const familyOf = (file: string) => /^src\/formats\/([^/]+)\//.exec(file)?.[1]

function importsOf(file: string): string[] {
  const targets = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, target = '']) => normalize(join(dirname(file), target)))
  return targets.filter((target) => /\.tsx?$/.test(target))
}

function breach(file: string, target: string): string | undefined {
  const [from, to] = [roomOf(file), roomOf(target)]
  if (!to) return 'is outside the house'
  if (from?.name === 'src/formats/' && to.name === 'src/formats/' && familyOf(file) !== familyOf(target)) return 'is another format'
  if (from === to || from?.mayImport.includes('everything')) return undefined
  return from?.mayImport.some((name) => to.paths.includes(name)) ? undefined : `is not below ${from?.name}`
}

/** Circles of imports, by Tarjan's strongly connected components. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    open.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) visit(target)
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0))
    }
    if (lowest.get(file) !== order.get(file)) return
    const circle = open.splice(open.indexOf(file))
    if (circle.length > 1) found.push(circle)
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return found
}

/** Everything that a Worker's front door reaches. */
function reach(door: string, graph: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set([door])
  for (const file of reached) for (const target of graph.get(file) ?? []) reached.add(target)
  return reached
}

/** Folders of engines under the GPL (not the LGPL), by what they say of themselves. */
const gplEngines = () =>
  globSync('wasm/*/origin.json')
    .filter((path) => /"(A?GPL)-/.test(readFileSync(path, 'utf8')))
    .map((path) => `${dirname(path)}/`)

const graph = new Map(FILES.map((file) => [file, importsOf(file)]))
const problems = FILES.filter((file) => !roomOf(file)).map((file) => `${file}: has no row in CONTRIBUTING.md`)
for (const [file, targets] of graph) {
  for (const target of targets) {
    const why = breach(file, target)
    if (why) problems.push(`${file}: ${target} ${why}`)
  }
}
for (const circle of circles(graph)) problems.push(`a circle of imports: ${circle.join(' → ')}`)
for (const door of ['src/index.ts', 'src/press.ts']) {
  for (const file of reach(door, graph)) {
    if (gplEngines().some((engine) => file.startsWith(engine))) problems.push(`${door} reaches ${file}, which is under the GPL`)
  }
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
