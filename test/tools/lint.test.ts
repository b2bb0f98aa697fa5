/** The project's own lint rules report the intended code, and nothing else. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')
const folder = mkdtempSync(join(tmpdir(), 'lint-'))
afterAll(() => rmSync(folder, { recursive: true }))
cpSync(join(ROOT, 'tools/checks/lint'), join(folder, 'tools/checks/lint'), { recursive: true })
const { plugins } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as { plugins: unknown }
writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins }))

/** Line numbers that our own rules report for a file at `path`. */
function refused(path: string, lines: readonly string[]): string[] {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), lines.join('\n'))
  const flags = ['lint', '--reporter=github', '--max-diagnostics=none', path]
  const { stdout } = spawnSync(process.execPath, [BIOME, ...flags], { cwd: folder, encoding: 'utf8' })
  const numbers = [...stdout.matchAll(/title=plugin,.*?line=(\d+)/g)].map(([, line]) => Number(line))
  return [...new Set(numbers)].map((line) => lines[line - 1] ?? '')
}

const SPREADS = [
  'export const most = (x: number[]) => Math.max(...x)',
  'export const atLeast = (x: number[]) => Math.max(0, ...x)',
  'export const text = (x: number[]) => String.fromCharCode(...x)',
  'export const longer = (x: number[][], y: number[]) => x[0]!.push(1, ...y)',
  'export const first = (x: number[], y: number[]) => x.unshift(...y)',
  'export const bytes = (x: number[]) => Uint8Array.of(...x)',
]
const FINE = [
  'export const sum = (x: number[]) => sumOf([0, ...x])',
  'export const list = (x: number[][], y: number[]) => x.push([...y])',
  'export const options = (x: object) => sumOf({ ...x })',
]

it('reports a spread of data from a file into a call', () => {
  expect(refused('src/planted.ts', [...FINE, ...SPREADS])).toEqual(SPREADS)
  expect(refused('test/planted.ts', SPREADS)).toEqual([])
})
