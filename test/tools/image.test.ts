/**
 * Nobody builds the image on the machines that run these tests. So each line of the deploy/Dockerfile, of the compose file and of the systemd unit is
 * held to the tree: what is copied is there and not left out, what is run exists, and what it is told is understood.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOptions } from '../../src/local/start-options.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SMALL_GARBAGE = '--max-semi-space-size=4'
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

/** With continued lines as one. */
const instructions = read('deploy/Dockerfile')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .flatMap((line) => {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return word && rest ? [{ word, rest }] : []
  })
const restsOf = (wanted: string) => instructions.filter(({ word }) => word === wanted).map(({ rest }) => rest)
const leftOut = read('.dockerignore').split('\n').filter(Boolean)
const isLeftOut = (path: string) => leftOut.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`))
/** From the folder that the image is built of, not from another stage. */
const copied = restsOf('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .flatMap((rest) => rest.split(' ').slice(0, -1))
/** Programs and their arguments; Node's own, which bound its young garbage, left out. */
const withoutFlags = (words: readonly string[]) => words.filter((word) => word !== SMALL_GARBAGE)
const entry = withoutFlags(JSON.parse(restsOf('ENTRYPOINT')[0] ?? '[]') as string[])

describe('the deploy/Dockerfile', () => {
  it('copies what is there, and nothing that is left out', () => {
    expect(copied.length).toBeGreaterThan(3)
    expect(copied.filter((path) => !existsSync(join(ROOT, path)) || isLeftOut(path))).toEqual([])
  })

  it('has what npm ci wants before the rest is copied', () => {
    const { workspaces, scripts } = JSON.parse(read('package.json')) as { workspaces: string[]; scripts: Record<string, string> }
    const [, postinstall = ''] = /^node (\S+)$/.exec(scripts['postinstall'] ?? '') ?? []
    for (const path of [...workspaces.map((folder) => `${folder}/package.json`), postinstall, 'package.json', 'package-lock.json'])
      expect(copied, path).toContain(path)
  })

  it('runs scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const names = restsOf('RUN').flatMap((rest) => [...rest.matchAll(/npm run (\S+)/g)].map(([, name]) => name))
    expect(names).toEqual(['build'])
    for (const name of names) expect(scripts).toHaveProperty([name!])
  })

  it('builds from the Node that package.json allows', () => {
    const [, least] = /^>=(\d+)\./.exec((JSON.parse(read('package.json')) as { engines: { node: string } }).engines.node) ?? []
    const versions = restsOf('FROM').map((rest) => Number(/^node:(\d+)-/.exec(rest)?.[1]))
    expect(versions.length).toBe(2)
    for (const version of versions) expect(version).toBeGreaterThanOrEqual(Number(least))
  })

  it('leaves out nothing that its programs import', () => {
    const reached = [...PROGRAMS]
    for (const path of reached) for (const imported of importsOf(path)) if (!reached.includes(imported)) reached.push(imported)
    expect(reached.length).toBeGreaterThan(300)
    expect(reached.filter((path) => isLeftOut(path))).toEqual([])
  })
})

/** What runs in it, or is bundled there. */
const PROGRAMS = [
  ...['src/local/start.ts', 'tools/account.ts', 'src/local/build.ts', 'src/local/serve.ts', 'src/local/heavy.ts'],
  ...['src/local/press/press.ts', 'src/local/press/media.ts', 'src/index.ts', 'src/service/remote/door.ts', 'src/local/workers/forward.ts'],
]

/** Paths from the root. */
function importsOf(path: string): string[] {
  if (!/\.(?:ts|mjs)$/.test(path)) return []
  const found = read(path).matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)
  return [...found].map(([, relative = '']) => join(dirname(path), relative)).filter((one) => existsSync(join(ROOT, one)))
}

describe('what is started', () => {
  it.each([
    ['in the image', entry[1], entry.slice(2)],
    ['by compose', entry[1], [...entry.slice(2), ...composeArguments()]],
    ['by systemd', ...systemd()],
  ])('%s is there and understands its arguments', (_, program, options) => {
    expect(program).toBe('src/local/start.ts')
    expect(existsSync(join(ROOT, program!))).toBe(true)
    expect(startOptions(options).state).toBeTruthy()
  })

  it.each([
    'deploy/Dockerfile',
    'deploy/whittle.service',
    'package.json',
  ])('%s bounds the young garbage of what runs for months', (file) => {
    expect(read(file)).toMatch(new RegExp(`node"?,? "?${SMALL_GARBAGE}`))
  })

  it('listens where the health check, the proxy and EXPOSE say', () => {
    const port = startOptions(entry.slice(2)).port
    expect(restsOf('EXPOSE')).toEqual([String(port)])
    expect(restsOf('HEALTHCHECK').join()).toContain(`http://127.0.0.1:${port}/healthz`)
    expect(read('deploy/compose.yaml')).toContain(`--to whittle:${port}`)
  })

  it('keeps its state in the volume', () => {
    const { state } = startOptions(entry.slice(2))
    expect(restsOf('VOLUME')).toEqual([state])
    expect(read('deploy/compose.yaml')).toContain(`'state:${state}'`)
  })
})

/** Of `whittle`, its host filled in. */
function composeArguments(): string[] {
  const [, list = ''] = /command: \[(.+)\]/.exec(read('deploy/compose.yaml')) ?? []
  return list.split(', ').map((word) => word.replaceAll("'", '').replace(/\$\{WHITTLE_HOST[^}]*\}/, 'whittle.example.com'))
}

/** The program and its arguments, the address filled in. */
function systemd(): [string | undefined, string[]] {
  const [, line = ''] = /^ExecStart=\S*node (.+)$/m.exec(read('deploy/whittle.service')) ?? []
  const [program, ...options] = withoutFlags(line.replace(/\$\{WHITTLE_URL\}/, 'https://whittle.example.com').split(' '))
  return [program, options]
}
