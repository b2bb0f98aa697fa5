/**
 * Consistency of the Dockerfile, the compose file and the systemd unit with the repository, because the test machines cannot build the
 * image. Copied files must exist and not be ignored, started programs must exist, and their arguments must be valid.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startOptions } from '../../src/local/start-options.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=4'
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

/** Dockerfile instructions, with continuation lines joined. */
const instructions = read('deploy/Dockerfile')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .flatMap((line) => {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return word && rest ? [{ word, rest }] : []
  })
const restsOf = (wanted: string) => instructions.filter(({ word }) => word === wanted).map(({ rest }) => rest)
const ignoredPatterns = read('.dockerignore').split('\n').filter(Boolean)
const isIgnored = (path: string) => ignoredPatterns.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`))
/** Paths copied from the build context, not from another stage. */
const copied = restsOf('COPY')
  .filter((rest) => !rest.startsWith('--from'))
  .flatMap((rest) => rest.split(' ').slice(0, -1))
/** Programs and their arguments, without the flag that limits V8's young generation. */
const withoutFlags = (words: readonly string[]) => words.filter((word) => word !== SMALL_YOUNG_GENERATION)
const entry = withoutFlags(JSON.parse(restsOf('ENTRYPOINT')[0] ?? '[]') as string[])

describe('the deploy/Dockerfile', () => {
  it('copies only existing files that are not ignored', () => {
    expect(copied.length).toBeGreaterThan(3)
    expect(copied.filter((path) => !existsSync(join(ROOT, path)) || isIgnored(path))).toEqual([])
  })

  it('copies the files that npm ci needs first', () => {
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

  it('uses a Node version that package.json allows', () => {
    const [, least] = /^>=(\d+)\./.exec((JSON.parse(read('package.json')) as { engines: { node: string } }).engines.node) ?? []
    const versions = restsOf('FROM').map((rest) => Number(/^node:(\d+)-/.exec(rest)?.[1]))
    expect(versions.length).toBe(2)
    for (const version of versions) expect(version).toBeGreaterThanOrEqual(Number(least))
  })

  it('ignores no file that its programs import', () => {
    const reached = [...PROGRAMS]
    for (const path of reached) for (const imported of importsOf(path)) if (!reached.includes(imported)) reached.push(imported)
    expect(reached.length).toBeGreaterThan(300)
    expect(reached.filter((path) => isIgnored(path))).toEqual([])
  })
})

/** Programs that run in the image or are bundled there. */
const PROGRAMS = [
  ...['src/local/start.ts', 'tools/account.ts', 'src/local/build.ts', 'src/local/serve.ts', 'src/local/heavy.ts'],
  ...['src/local/press/press.ts', 'src/local/press/media.ts', 'src/index.ts', 'src/service/remote/door.ts', 'src/local/workers/forward.ts'],
]

/** Imported files, as paths from the root. */
function importsOf(path: string): string[] {
  if (!/\.(?:ts|mjs)$/.test(path)) return []
  const found = read(path).matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g)
  return [...found].map(([, relative = '']) => join(dirname(path), relative)).filter((one) => existsSync(join(ROOT, one)))
}

describe('the started program', () => {
  it.each([
    ['in the image', entry[1], entry.slice(2)],
    ['by compose', entry[1], [...entry.slice(2), ...composeArguments()]],
    ['by systemd', ...systemd()],
  ])('%s exists and accepts its arguments', (_, program, options) => {
    expect(program).toBe('src/local/start.ts')
    expect(existsSync(join(ROOT, program!))).toBe(true)
    expect(startOptions(options).state).toBeTruthy()
  })

  it.each([
    'deploy/Dockerfile',
    'deploy/whittle.service',
    'package.json',
  ])('%s limits the young generation of the long-running process', (file) => {
    expect(read(file)).toMatch(new RegExp(`node"?,? "?${SMALL_YOUNG_GENERATION}`))
  })

  it('listens on the port of the health check, the proxy and EXPOSE', () => {
    const port = startOptions(entry.slice(2)).port
    expect(restsOf('EXPOSE')).toEqual([String(port)])
    expect(restsOf('HEALTHCHECK').join()).toContain(`http://127.0.0.1:${port}/healthz`)
    expect(read('deploy/compose.yaml')).toContain(`--to whittle:${port}`)
  })

  it('stores its state in the volume', () => {
    const { state } = startOptions(entry.slice(2))
    expect(restsOf('VOLUME')).toEqual([state])
    expect(read('deploy/compose.yaml')).toContain(`'state:${state}'`)
  })
})

/** Arguments of the `whittle` service in compose.yaml, with the host filled in. */
function composeArguments(): string[] {
  const [, list = ''] = /command: \[(.+)\]/.exec(read('deploy/compose.yaml')) ?? []
  return list.split(', ').map((word) => word.replaceAll("'", '').replace(/\$\{WHITTLE_HOST[^}]*\}/, 'whittle.example.com'))
}

/** Program and arguments of the systemd unit, with the address filled in. */
function systemd(): [string | undefined, string[]] {
  const [, line = ''] = /^ExecStart=\S*node (.+)$/m.exec(read('deploy/whittle.service')) ?? []
  const [program, ...options] = withoutFlags(line.replace(/\$\{WHITTLE_URL\}/, 'https://whittle.example.com').split(' '))
  return [program, options]
}
