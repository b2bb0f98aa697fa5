/**
 * Checks imports against the table "Folders" in CONTRIBUTING.md. Also checks: no import cycles, including types; no imports between
 * formats; only what `src/service/media.ts` reaches imports a GPL engine; no codec reads the clock; the library and its engines import no
 * module of Node, because they run in browsers as well. Prints violations and exits with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

interface Row {
  readonly name: string
  /** Path prefixes or whole paths. The longest match decides. */
  readonly paths: readonly string[]
  readonly mayImport: readonly string[]
}

/** Imported files by file, as paths from the root. */
type Graph = ReadonlyMap<string, readonly string[]>

const CODE = '{src,durable-objects,wasm,test,tools,console,site,packages,pages}/**/*.{ts,tsx,js,mjs}'
const EXCLUDED = /(^|\/)(node_modules|dist)(\/|$)/
/** Matches `import … from './x.ts'`, `import './x.ts'` and `import('./x.ts')`. */
const IMPORT = /(?:^\s*(?:import|export)\b[^'"]*?from\s+|^\s*import\s+|\bimport\(\s*)'(\.[^']+)'/gm
/** Extensions of imported code, as opposed to data. */
const CODE_EXTENSION = /\.(tsx?|m?js|wasm)$/
/** Clock functions. The clock of a Worker does not advance while it computes, so a measured duration is always 0. */
const CLOCK = /\b(?:performance|Date)\.now\b/
const NO_CLOCK_FOLDERS = /^(?:wasm|src\/core\/(?!audit\/))/
/** Matches imports of Node's modules, also of their types. */
const NODE_IMPORT = /^\s*(?:import|export)\b[^'"]*?['"]node:|\bimport\(\s*['"]node:/m
const NO_NODE_FOLDERS = /^(?:wasm|src\/core)\//
/** The only file of the library that knows Node's modules. */
const NODE_PORT = 'src/core/bytes/platform/node.ts'
/** Entry points of Workers and processes that must not include GPL code. */
const ENTRY_POINTS = ['src/index.ts', 'src/service/press.ts', 'src/local/press/press.ts', 'src/local/serve.ts']

/** Problems with the imports below `root`, one line each. */
export function problemsOf(root: string): string[] {
  const rows = readTable(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
  const files = globSync(CODE, { cwd: root, exclude: (path) => EXCLUDED.test(String(path)) }).sort()
  const graph = new Map(files.map((file) => [file, importsOf(root, file)]))
  return [
    ...files.filter((file) => !rowOf(rows, file)).map((file) => `${file}: has no row in CONTRIBUTING.md`),
    ...violations(rows, graph),
    ...findCycles(graph).map((cycle) => `import cycle: ${cycle.join(' → ')}`),
    ...gplViolations(root, graph),
    ...files
      .filter((file) => readsClock(root, file))
      .map((file) => `${file}: reads the clock, which does not advance in a Worker while it computes. Count work instead (YieldBudget)`),
    ...files.filter((file) => importsNode(root, file)).map((file) => `${file}: imports a module of Node, which only ${NODE_PORT} may do`),
  ]
}

const readsClock = (root: string, file: string) => NO_CLOCK_FOLDERS.test(file) && CLOCK.test(readFileSync(join(root, file), 'utf8'))

const importsNode = (root: string, file: string) =>
  NO_NODE_FOLDERS.test(file) && file !== NODE_PORT && NODE_IMPORT.test(readFileSync(join(root, file), 'utf8'))

/** Parses table rows: | `folder/`, … | content | folders it may import |. */
function readTable(text: string): Row[] {
  const [, section = ''] = text.split('## Folders\n')
  const rows = section.split('\n## ')[0]?.matchAll(/^\| (`.+?) \| .+ \| (.*?) ?\|$/gm) ?? []
  return [...rows].map(([, folders = '', below = '']) => {
    const paths = [...folders.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path)
    return { name: paths[0] ?? '', paths, mayImport: [...below.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path) }
  })
}

/** `*` in a table path matches one name. */
const matches = (path: string, file: string) =>
  path.includes('*') ? new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}`).test(file) : file.startsWith(path)

function rowOf(rows: readonly Row[], file: string): Row | undefined {
  const results = rows.flatMap((row) => row.paths.filter((path) => matches(path, file)).map((path) => ({ row, length: path.length })))
  return results.sort((a, b) => b.length - a.length)[0]?.row
}

const familyOf = (file: string) => /^src\/core\/formats\/([^/]+)\//.exec(file)?.[1]

function importsOf(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const targets = [...text.matchAll(IMPORT)].map(([, target = '']) => normalize(join(dirname(file), target)))
  return targets.filter((target) => CODE_EXTENSION.test(target))
}

function violations(rows: readonly Row[], graph: Graph): string[] {
  return [...graph].flatMap(([file, targets]) =>
    targets.flatMap((target) => {
      const why = violation(rows, file, target)
      return why ? [`${file}: ${target} ${why}`] : []
    }),
  )
}

function violation(rows: readonly Row[], file: string, target: string): string | undefined {
  const [from, to] = [rowOf(rows, file), rowOf(rows, target)]
  if (!to) return 'has no row in CONTRIBUTING.md'
  if (from?.name === 'src/core/formats/' && to === from && familyOf(file) !== familyOf(target)) return 'is part of another format'
  if (from === to || from?.mayImport.includes('everything')) return undefined
  return from?.mayImport.some((name) => to.paths.includes(name)) ? undefined : `must not be imported by ${from?.name}`
}

/** Import cycles, found as Tarjan's strongly connected components. */
function findCycles(graph: Graph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const results: string[][] = []
  const visit = (file: string): void => {
    order.set(file, order.size)
    lowest.set(file, order.size - 1)
    stack.push(file)
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) visit(target)
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0))
    }
    if (lowest.get(file) !== order.get(file)) return
    const cycle = stack.splice(stack.indexOf(file))
    if (cycle.length > 1) results.push(cycle)
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return results
}

/** All files that an entry point imports, directly or indirectly. */
function reachableFrom(entryPoint: string, graph: Graph): Set<string> {
  const reachable = new Set([entryPoint])
  for (const file of reachable) for (const target of graph.get(file) ?? []) reachable.add(target)
  return reachable
}

/** GPL engines (not LGPL) that an entry point reaches. The licence is read from each engine's origin.json. */
function gplViolations(root: string, graph: Graph): string[] {
  const engines = globSync('wasm/*/origin.json', { cwd: root })
    .filter((path) => /"A?GPL-/.test(readFileSync(join(root, path), 'utf8')))
    .map((path) => `${dirname(path)}/`)
  return ENTRY_POINTS.flatMap((entryPoint) =>
    [...reachableFrom(entryPoint, graph)]
      .filter((file) => engines.some((engine) => file.startsWith(engine)))
      .map((file) => `${entryPoint} reaches ${file}, which is under the GPL`),
  )
}

if (import.meta.main) {
  const problems = problemsOf('.')
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
