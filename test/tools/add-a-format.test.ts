/** Follows docs/contributors/add-a-format.md on a copy of the source, and compresses a file of the new format. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_THOROUGH } from '../support/thorough.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const GUIDE = join(ROOT, 'docs/contributors/add-a-format.md')
/** Inside of the repository, so that packages are found. */
let copy = ''

/** Code blocks of the guide in order, each with the path above it. */
function blocksOf(guide: string): { path: string; language: string; code: string }[] {
  let path = ''
  return [...guide.matchAll(/^`([\w./-]+\.ts)`$|^```(ts|diff)\n([\s\S]*?)^```$/gm)].flatMap(([, named, language, code]) => {
    if (named !== undefined) path = named
    return language === undefined || code === undefined ? [] : [{ path, language, code }]
  })
}

/** Adds the `+` lines of a diff after the line that is above them. */
function patched(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n')
  const context = `${lines[0]!.slice(1)}\n`
  const added = lines.slice(1).map((line) => `${line.slice(1)}\n`)
  if (!text.includes(context)) throw new Error(`the guide names a line that does not exist: ${context}`)
  return text.replace(context, () => context + added.join(''))
}

const SCRIPT = `
import { compress, identify, readAll, verify } from './src/core/index.ts'
const file = Uint8Array.from([0x54, 0x4c, 0x59, 0x31, ...Array.from({ length: 300 }, (_, i) => [1, i < 290 ? 7 : i % 5]).flat()])
const { result, receipt } = await compress(file, { name: 'a.tly' })
const bytes = await readAll(result)
const damaged = await compress(file.subarray(0, file.length - 1), { name: 'a.tly' })
const other = bytes.slice()
other[5] ^= 1
const checked = [await verify(file, bytes, receipt), await verify(file, other, receipt)]
console.log(JSON.stringify({
  format: (await identify(file))?.id, size: bytes.length, receipt: receipt.result, damaged: damaged.receipt.result,
  isFalse: checked.map(({ findings }) => findings.some(({ verdict }) => verdict === 'false')),
}))
`

beforeAll(() => {
  mkdirSync(join(ROOT, '.dev'), { recursive: true })
  copy = mkdtempSync(join(ROOT, '.dev/add-a-format-'))
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true })
  for (const folder of ['test/support', 'test/core']) cpSync(join(ROOT, folder), join(copy, folder), { recursive: true })
  for (const name of ['wasm', 'tools', 'durable-objects', 'package.json']) symlinkSync(join(ROOT, name), join(copy, name))
  for (const { path, language, code } of blocksOf(readFileSync(GUIDE, 'utf8'))) {
    const target = join(copy, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, language === 'ts' ? code : patched(readFileSync(target, 'utf8'), code))
  }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('the guide to a new format', () => {
  it('gives a format that is recognised, compressed, verified and found damaged', () => {
    writeFileSync(join(copy, 'try.ts'), SCRIPT)
    const output = execFileSync(process.execPath, ['--import', join(ROOT, 'tools/wasm-hook.ts'), 'try.ts'], { cwd: copy, encoding: 'utf8' })
    expect(JSON.parse(output)).toMatchObject({
      format: 'tally',
      size: 28,
      receipt: { outcome: 'compressed', fidelity: 'lossless', verified: true, steps: ['300 records merged into 12'] },
      damaged: { outcome: 'unchanged', reason: 'malformed' },
      isFalse: [false, true],
    })
  })

  it.runIf(IS_THOROUGH)('names every place that the compiler asks for', () => {
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      exclude: [],
      include: ['src/core', 'src/service', 'test/support/generators.ts', 'wasm/wasm.d.ts'],
    }
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    expect(spawnSync(tsc, ['--noEmit', '-p', copy], { encoding: 'utf8' }).stdout).toBe('')
  })
})
