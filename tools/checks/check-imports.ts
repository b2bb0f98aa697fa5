/**
 * Imports run one way, as the table "The service" in CONTRIBUTING.md says; this reads that table and holds the code to it.
 * Also: no module imports itself in a circle (types included), a format never imports another format, and nothing but what
 * `src/service/media.ts` reaches imports an engine under the GPL, and no codec asks what time it is. Prints what breaks this and exits with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

interface Row {
  readonly name: string
  /** Prefixes of paths, or whole paths; the longest that fits decides. */
  readonly paths: readonly string[]
  readonly mayImport: readonly string[]
}

/** What each file imports, by paths from the root. */
type Graph = ReadonlyMap<string, readonly string[]>

const CODE = '{src,durable-objects,wasm,test,tools,console,packages}/**/*.{ts,tsx}'
const NOT_OURS = /(^|\/)(node_modules|dist)(\/|$)/
/** `import … from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const IMPORT = /(?:^\s*(?:import|export)\b[^'"]*?from\s+|^\s*import\s+|\bimport\(\s*)'(\.[^']+)'/gm
/** Of what is imported, what runs; not data. */
const RUNS = /\.(tsx?|m?js|wasm)$/
/** The clock of a Worker stands still while it computes: who measures by it finds that no time has passed. */
const CLOCK = /\b(?:performance|Date)\.now\b/
const WITHOUT_CLOCK = /^(?:wasm|src\/core\/(?!audit\/))/
/** The Workers and processes in which nothing may be under the GPL. */
const DOORS = ['src/index.ts', 'src/service/press.ts', 'src/local/press/press.ts', 'src/local/serve.ts']

/** All that is wrong with the imports below `root`, a line each; none when they are as CONTRIBUTING.md there says. */
export function problemsOf(root: string): string[] {
  const rows = readTable(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
  const files = globSync(CODE, { cwd: root, exclude: (path) => NOT_OURS.test(String(path)) }).sort()
  const graph = new Map(files.map((file) => [file, importsOf(root, file)]))
  return [
    ...files.filter((file) => !rowOf(rows, file)).map((file) => `${file}: has no row in CONTRIBUTING.md`),
    ...breaches(rows, graph),
    ...circles(graph).map((circle) => `a circle of imports: ${circle.join(' → ')}`),
    ...gplBehindDoors(root, graph),
    ...files.filter((file) => asksTheClock(root, file)).map((file) => `${file}: the clock stands still here, count work instead (Breath)`),
  ]
}

const asksTheClock = (root: string, file: string) => WITHOUT_CLOCK.test(file) && CLOCK.test(readFileSync(join(root, file), 'utf8'))

/** Rows of the service's table: | `folder/`, … | what it holds | folders it may import |. */
function readTable(text: string): Row[] {
  const [, section = ''] = text.split('## Folders\n')
  const rows = section.split('\n## ')[0]?.matchAll(/^\| (`.+?) \| .+ \| (.*?) ?\|$/gm) ?? []
  return [...rows].map(([, folders = '', below = '']) => {
    const paths = [...folders.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    return { name: paths[0] ?? '', paths, mayImport: [...below.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path) }
  })
}

/** `*` in a path of the table stands for one name. */
const fits = (path: string, file: string) =>
  path.includes('*') ? new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}`).test(file) : file.startsWith(path)

function rowOf(rows: readonly Row[], file: string): Row | undefined {
  const found = rows.flatMap((row) => row.paths.filter((path) => fits(path, file)).map((path) => ({ row, length: path.length })))
  return found.sort((a, b) => b.length - a.length)[0]?.row
}

const familyOf = (file: string) => /^src\/core\/formats\/([^/]+)\//.exec(file)?.[1]

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => normalize(join(dirname(file), target)))
  return targets.filter((target) => RUNS.test(target))
}

function breaches(rows: readonly Row[], graph: Graph): string[] {
  return [...graph].flatMap(([file, targets]) =>
    targets.flatMap((target) => {
      const why = breach(rows, file, target)
      return why ? [`${file}: ${target} ${why}`] : []
    }),
  )
}

function breach(rows: readonly Row[], file: string, target: string): string | undefined {
  const [from, to] = [rowOf(rows, file), rowOf(rows, target)]
  if (!to) return 'has no row in CONTRIBUTING.md'
  if (from?.name === 'src/core/formats/' && to === from && familyOf(file) !== familyOf(target)) return 'is another format'
  if (from === to || from?.mayImport.includes('everything')) return undefined
  return from?.mayImport.some((name) => to.paths.includes(name)) ? undefined : `is not below ${from?.name}`
}

/** Circles of imports, by Tarjan's strongly connected components. */
function circles(graph: Graph): string[][] {
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
function reach(door: string, graph: Graph): Set<string> {
  const reached = new Set([door])
  for (const file of reached) for (const target of graph.get(file) ?? []) reached.add(target)
  return reached
}

/** What is under the GPL (not the LGPL) and reached, by what the engines' folders say of themselves. */
function gplBehindDoors(root: string, graph: Graph): string[] {
  const engines = globSync('wasm/*/origin.json', { cwd: root })
    .filter((path) => /"A?GPL-/.test(readFileSync(join(root, path), 'utf8')))
    .map((path) => `${dirname(path)}/`)
  return DOORS.flatMap((door) =>
    [...reach(door, graph)]
      .filter((file) => engines.some((engine) => file.startsWith(engine)))
      .map((file) => `${door} reaches ${file}, which is under the GPL`),
  )
}

if (import.meta.main) {
  const problems = problemsOf('.')
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
