/** Import checks against the table in CONTRIBUTING.md, on small file trees in a temporary folder. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { problemsOf } from '../../tools/checks/check-imports.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'check-imports-'))
afterAll(() => rmSync(folder, { recursive: true }))

const GPL = JSON.stringify({ source: { licence: 'GPL-2.0-or-later' } }, null, 2)
const LGPL = JSON.stringify({ source: { licence: 'LGPL-2.0-or-later' } }, null, 2)

/** A valid tree: entry points, a format with its engine, and a GPL engine that only `media` reaches. */
const GOOD = {
  'src/index.ts': "import { app } from './service/http/app.ts'\nexport default app\n",
  'src/service/http/app.ts': "import { put } from '../store/blobs.ts'\nexport const app = put\n",
  'src/service/store/blobs.ts': 'export const put = 1\n',
  'src/service/press.ts': "import { PRESS } from '../core/formats/press.ts'\nexport default PRESS\n",
  'src/service/media.ts': "import { MEDIA } from '../core/formats/media.ts'\nexport default MEDIA\n",
  'src/core/formats/press.ts': "import { png } from './png/png.ts'\nexport const PRESS = [png]\n",
  'src/core/formats/media.ts': "import { film } from './film/film.ts'\nexport const MEDIA = [film]\n",
  'src/core/formats/png/png.ts': "import { rows } from '../../../../wasm/png/png.ts'\nexport const png = rows\n",
  'src/core/formats/film/film.ts': "import { encode } from '../../../../wasm/x264/x264.ts'\nexport const film = encode\n",
  'wasm/png/png.ts': "import module from './png.wasm'\nexport const rows = module\n",
  'wasm/x264/x264.ts': "import module from './x264.wasm'\nexport const encode = module\n",
  'wasm/x264/origin.json': GPL,
  'test/core/formats/png.test.ts':
    "import { png } from '../../../src/core/formats/png/png.ts'\nimport '../../../tools/wasm-hook.ts'\npng\n",
  'tools/wasm-hook.ts': 'export {}\n',
}

let trees = 0
/** Problems of the valid tree with additional or replaced files. */
function problemsWith(files: Readonly<Record<string, string>>): string[] {
  const root = join(folder, String(trees++))
  for (const [path, text] of Object.entries({ ...GOOD, ...files })) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  copyFileSync(join(ROOT, 'CONTRIBUTING.md'), join(root, 'CONTRIBUTING.md'))
  return problemsOf(root)
}

describe('the check of imports', () => {
  it('finds no problem in a valid tree', () => expect(problemsWith({})).toEqual([]))

  it.each([
    [
      'one line',
      'src/service/env.ts',
      "import { app } from './http/app.ts'\nexport { app }\n",
      'src/service/http/app.ts must not be imported by src/service/',
    ],
    [
      'types alone',
      'src/service/store/task.ts',
      "import type { A } from '../http/app.ts'\n",
      'src/service/http/app.ts must not be imported by src/service/store/',
    ],
    [
      'several lines',
      'src/service/store/task.ts',
      "import {\n  app,\n} from '../http/app.ts'\n",
      'src/service/http/app.ts must not be imported by src/service/store/',
    ],
    [
      'export from',
      'src/service/store/task.ts',
      "export * from '../http/app.ts'\n",
      'src/service/http/app.ts must not be imported by src/service/store/',
    ],
    [
      'effects alone',
      'src/service/store/task.ts',
      "import '../http/app.ts'\n",
      'src/service/http/app.ts must not be imported by src/service/store/',
    ],
    [
      'import()',
      'src/service/store/task.ts',
      "export const a = () => import('../http/app.ts')\n",
      'src/service/http/app.ts must not be imported by src/service/store/',
    ],
    [
      'a compiled module',
      'src/service/http/a.ts',
      "import a from '../../../wasm/png/png.wasm'\n",
      'wasm/png/png.wasm must not be imported by src/service/http/',
    ],
  ])('reports an import from a higher layer: %s', (_, file, text, why) => {
    expect(problemsWith({ [file]: text })).toEqual([`${file}: ${why}`])
  })

  it.each([
    'src/core/formats/png/png.ts',
    'wasm/png/png.ts',
    'src/core/bytes/yield.ts',
  ])('reports a codec that reads the clock: %s', (file) => {
    for (const clock of ['performance.now()', 'Date.now()']) {
      const [problem, ...others] = problemsWith({ [file]: `export const png = ${clock}\nexport const rows = 1\n` })
      expect([problem, others]).toEqual([
        `${file}: reads the clock, which does not advance in a Worker while it computes. Count work instead (YieldBudget)`,
        [],
      ])
    }
    expect(problemsWith({ 'src/service/http/app.ts': 'export const app = Date.now()\n' })).toEqual([])
  })

  it.each([
    ['src/core/formats/png/png.ts', "import { createHash } from 'node:crypto'\n"],
    ['src/core/bytes/platform/crypto.ts', "import type { Hash } from 'node:crypto'\n"],
    ['src/core/inventory/zip.ts', "import { crc32 } from 'node:zlib'\n"],
    ['wasm/png/png.ts', "const zlib = await import('node:zlib')\n"],
  ])('reports a module of Node in %s', (file, line) => {
    const problem = `${file}: imports a module of Node, which only src/core/bytes/platform/node.ts may do`
    expect(problemsWith({ [file]: `${line}export const png = 1\nexport const rows = 1\n` })).toEqual([problem])
  })

  it('allows modules of Node in the port of the library, in comments and outside of the library', () => {
    const line = "import type { Hash } from 'node:crypto'\nexport type Any = Hash\n"
    expect(problemsWith({ 'src/core/bytes/platform/node.ts': line, 'src/local/press.ts': line })).toEqual([])
    expect(
      problemsWith({ 'src/core/bytes/text.ts': "/** Example: import { readFile } from 'node:fs' */\nexport const text = 1\n" }),
    ).toEqual([])
  })

  it('reports an import of another format, but not of its catalog entry', () => {
    const facts = { 'src/core/catalog/formats/png.ts': 'export const PNG = {}\n' }
    const gif = "import { PNG } from '../../catalog/formats/png.ts'\nimport { png } from '../png/png.ts'\nexport const gif = [png, PNG]\n"
    const codec = 'src/core/formats/gif/gif.ts'
    expect(problemsWith({ ...facts, [codec]: gif })).toEqual([`${codec}: src/core/formats/png/png.ts is part of another format`])
  })

  it('reports an import cycle, also of types', () => {
    const problems = problemsWith({
      'src/core/bytes/a.ts': "import type { B } from './b.ts'\nexport type A = B | 1\n",
      'src/core/bytes/b.ts': "import type { C } from './c.ts'\nexport type B = C | 2\n",
      'src/core/bytes/c.ts': "import type { A } from './a.ts'\nexport type C = A[] | 3\n",
      'src/core/bytes/d.ts': "import type { A } from './a.ts'\nexport type D = A\n",
    })
    expect(problems).toEqual(['import cycle: src/core/bytes/a.ts → src/core/bytes/b.ts → src/core/bytes/c.ts'])
  })

  it('reports a GPL engine that the press reaches indirectly', () => {
    const problems = problemsWith({
      'src/core/formats/png/png.ts': "import { film } from '../../images/film.ts'\nexport const png = film\n",
      'src/core/images/film.ts': "import { encode } from '../../../wasm/x264/x264.ts'\nexport const film = encode\n",
    })
    expect(problems).toEqual([
      'src/service/press.ts reaches wasm/x264/x264.ts, which is under the GPL',
      'src/service/press.ts reaches wasm/x264/x264.wasm, which is under the GPL',
    ])
  })

  it('reports a GPL engine whose Wasm module is imported directly', () => {
    const problems = problemsWith({
      'src/core/formats/png/png.ts': "import film from '../../../../wasm/x264/x264.wasm'\nexport const png = film\n",
    })
    expect(problems).toEqual(['src/service/press.ts reaches wasm/x264/x264.wasm, which is under the GPL'])
  })

  it('allows engines under the LGPL', () => {
    expect(problemsWith({ 'wasm/png/origin.json': LGPL })).toEqual([])
  })

  it('reports a file without a table row, and its importers', () => {
    const problems = problemsWith({
      'src/helpers/misc.ts': 'export const misc = 1\n',
      'src/service/http/app.ts': "import { misc } from '../../helpers/misc.ts'\nexport const app = misc\n",
    })
    expect(problems).toEqual([
      'src/helpers/misc.ts: has no row in CONTRIBUTING.md',
      'src/service/http/app.ts: src/helpers/misc.ts has no row in CONTRIBUTING.md',
    ])
  })

  it.each([
    ['console/src/app.tsx', 'console/src/'],
    ['packages/cli/src/main.ts', 'packages/cli/'],
    ['packages/clients/typed.ts', 'packages/'],
  ])('reports an HTTP client that imports the service: %s', (file, row) => {
    const up = '../'.repeat(file.split('/').length - 1)
    const problems = problemsWith({ [file]: `import { put } from '${up}src/service/store/blobs.ts'\nexport { put }\n` })
    expect(problems).toEqual([`${file}: src/service/store/blobs.ts must not be imported by ${row}`])
  })

  it('reports every file if there is no table', () => {
    const root = join(folder, 'no-table')
    mkdirSync(join(root, 'src'), { recursive: true })
    writeFileSync(join(root, 'src/index.ts'), 'export {}\n')
    writeFileSync(join(root, 'CONTRIBUTING.md'), '# Contributing\n')
    expect(problemsOf(root)).toEqual(['src/index.ts: has no row in CONTRIBUTING.md'])
  })

  it('finds no problem in this repository', () => expect(problemsOf(ROOT)).toEqual([]))
})
