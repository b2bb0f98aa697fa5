/**
 * Consistency of the Dockerfile, the compose file and the systemd unit with the repository, because the test machines cannot build the
 * image. Copied files must exist and not be ignored, started programs must exist, and their arguments must be valid.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
    expect(restsOf('FROM')).toEqual([`\${NODE_IMAGE} AS build`, `\${NODE_IMAGE}`])
    const [, version] = /^NODE_IMAGE=node:(\d+)-[a-z-]+$/.exec(restsOf('ARG')[0] ?? '') ?? []
    expect(Number(version)).toBeGreaterThanOrEqual(Number(least))
  })

  it('has FFmpeg unless its build argument says otherwise, and does not run as root', () => {
    expect(restsOf('ARG')).toContain('FFMPEG=1')
    const install = restsOf('RUN').find((rest) => rest.includes('apt-get install'))
    expect(install).toMatch(/^if \[ "\$FFMPEG" = 1 \]; then .*apt-get install .*\bffmpeg\b.*; +fi$/)
    expect(restsOf('USER')).toEqual(['1000:1000'])
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
  ...['src/local/start.ts', 'tools/account.ts', 'tools/state.ts', 'src/local/build.ts', 'src/local/serve.ts', 'src/local/heavy.ts'],
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
    expect(restsOf('HEALTHCHECK').join()).toContain(`http://127.0.0.1:${port}/readyz`)
    expect(read('deploy/compose.yaml')).toContain(`--to whittle:${port}`)
  })

  it('stores its state in the volume', () => {
    const { state } = startOptions(entry.slice(2))
    expect(restsOf('VOLUME')).toEqual([state])
    expect(read('deploy/compose.yaml')).toContain(`'state:${state}'`)
  })
})

describe('the deploy/compose.yaml', () => {
  const compose = read('deploy/compose.yaml')

  it('limits memory, CPU, processes and privileges', () => {
    for (const line of ['read_only: true', "cap_drop: ['ALL']", "security_opt: ['no-new-privileges:true']", 'cpus: 4', 'pids_limit: 1024'])
      expect(compose).toContain(`    ${line}\n`)
  })

  it('gives the container the memory that its workers may use', () => {
    const { workers, memory } = startOptions([...entry.slice(2), ...composeArguments()])
    expect(Number(/mem_limit: (\d+)g/.exec(compose)?.[1]) * 1024).toBeGreaterThanOrEqual((workers + 1) * memory + 2048)
  })
})

describe('deploy/kubernetes', () => {
  const set = read('deploy/kubernetes/statefulset.yaml')
  const [, list = ''] = /args: \[(.+)\]/.exec(set) ?? []
  const words = list.split(', ').map((word) => word.replaceAll("'", '').replace('$(WHITTLE_URL)', 'https://whittle.example.com'))

  it('starts one replica with valid arguments, whose memory fits its limit', () => {
    expect(set).toMatch(/^ {2}replicas: 1$/m)
    const { workers, memory, port } = startOptions([...entry.slice(2), ...words])
    expect(Number(/limits: \{ memory: (\d+)Gi \}/.exec(set)?.[1]) * 1024).toBeGreaterThanOrEqual((workers + 1) * memory + 2048)
    expect(set).toContain(`containerPort: ${port}`)
    expect(read('deploy/kubernetes/service.yaml')).toContain('targetPort: http')
    expect(read('deploy/kubernetes/kustomization.yaml')).toMatch(/^ {6}- WHITTLE_URL=https:\/\//m)
  })

  it('probes /livez and /readyz, and waits for the drain', () => {
    expect(set).toMatch(/livenessProbe:\n +httpGet: \{ path: \/livez, port: http \}/)
    expect(set).toMatch(/readinessProbe:\n +httpGet: \{ path: \/readyz, port: http \}/)
    const milliseconds = (name: string) =>
      Number(new RegExp(`^const ${name} = ([\\d_]+)$`, 'm').exec(read('src/local/service.ts'))?.[1]?.replaceAll('_', ''))
    const needed = milliseconds('DRAIN_TIMEOUT_MS') / 1000 + milliseconds('STOP_TIMEOUT_MS') / 1000
    const preStop = Number(/command: \['sleep', '(\d+)'\]/.exec(set)?.[1])
    expect(Number(/terminationGracePeriodSeconds: (\d+)/.exec(set)?.[1])).toBeGreaterThan(needed + preStop)
    expect(Number(/stop_grace_period: (\d+)s/.exec(read('deploy/compose.yaml'))?.[1])).toBeGreaterThan(needed)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read('deploy/whittle.service'))?.[1])).toBeGreaterThan(needed)
  })

  it('stores the state in a volume, and runs as the user of the image on a read-only root', () => {
    const { state } = startOptions(entry.slice(2))
    expect(set).toContain(`{ name: state, mountPath: ${state} }`)
    expect(set).toMatch(/volumeClaimTemplates:\n {4}- metadata:\n {8}name: state/)
    expect(set).toContain(`runAsUser: ${restsOf('USER')[0]?.split(':')[0]}`)
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      "capabilities: { drop: ['ALL'] }",
    ])
      expect(set).toContain(line)
  })

  it.skipIf(spawnSync('kubectl', ['version', '--client']).status !== 0)('is accepted by kustomize', () => {
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(ROOT, 'deploy/kubernetes')], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.match(/^kind: \w+$/gm)).toEqual(['kind: ConfigMap', 'kind: Service', 'kind: StatefulSet'])
  })
})

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd accepts the unit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whittle-unit-'))
  try {
    const unit = join(folder, 'whittle.service')
    writeFileSync(unit, read('deploy/whittle.service').replace('/usr/bin/node', process.execPath))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('whittle.service'))).toEqual([])
    expect(status).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('the release workflow pins the base image by digest, and attaches a bill of materials and provenance', () => {
  const release = read('.github/workflows/release.yml')
  expect(release).toContain('--build-arg "NODE_IMAGE=$base@$digest"')
  expect(release).toContain('--sbom=true --provenance=mode=max')
  expect(release).toMatch(/^ {2}publish:\n {4}needs: \[test, engines, binaries\]$/m)
  expect(release).toMatch(/^ {2}binaries:\n {4}needs: \[test, engines\]$/m)
  expect(read('.github/workflows/engines.yml')).toMatch(/^ {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \d'$/m)
  expect(read('.github/workflows/engines.yml')).toMatch(/^ {6}- run: npm run build:wasm$/m)
})

it('the release workflow tests each binary on its system, and publishes all with their SHA-256', () => {
  const release = read('.github/workflows/release.yml')
  const targets = [...release.matchAll(/target: ([\w-]+) \}/g)].map(([, target]) => target)
  expect(targets).toEqual(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'])
  expect(release).toMatch(/run: WHITTLE_BINARY=\S+ \S+ npm run conformance -- tests packages\/binary$/m)
  expect(release).toContain('sha256sum whittle-* > SHA256SUMS')
  expect(release).toContain('binaries/*')
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
