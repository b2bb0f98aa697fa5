/**
 * `npm run conformance -- folder [COUNT]`: measures the command on one photograph, and on a folder of COUNT photographs (default: 50).
 * Fails if one photograph takes longer than 1 s, or if the folder uses less than 0.9 of the cores. On a busy machine it prints the figures
 * and judges nothing.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const COMMAND = join(ROOT, 'packages/cli/bin/whittle.mjs')
const DEFAULT_PHOTOGRAPHS = 50
const MOST_PHOTOGRAPHS = 1000
const MOST_SECONDS = 1
const LEAST_SHARE = 0.9
/** Load of a machine that other work does not slow down. */
const QUIET_LOAD = 0.5

interface Measured {
  readonly wallSeconds: number
  /** Of all threads. */
  readonly cpuSeconds: number
}

const photographs = Number(process.argv[2] ?? DEFAULT_PHOTOGRAPHS)
if (!Number.isInteger(photographs) || photographs < 1 || photographs > MOST_PHOTOGRAPHS)
  throw new Error(`COUNT must be a whole number from 1 to ${MOST_PHOTOGRAPHS}, got '${process.argv[2]}'`)
const load = loadavg()[0]!
const folder = mkdtempSync(join(tmpdir(), 'whittle-folder-'))
try {
  const usage = join(folder, 'usage.json')
  const hook = join(folder, 'usage.mjs')
  writeFileSync(
    hook,
    `import { isMainThread } from 'node:worker_threads'
import { writeFileSync } from 'node:fs'
if (isMainThread) process.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.cpuUsage())))`,
  )
  mkdirSync(join(folder, 'in'))
  for (let i = 0; i < photographs; i++) cpSync(join(ROOT, 'docs/photo.jpg'), join(folder, `in/${i}.jpg`))
  const measure = (...args: string[]): Measured => {
    const startedMs = performance.now()
    const env = { ...process.env, WHITTLE_SERVER: '', WHITTLE_KEY: '', XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }
    const { status, stderr } = spawnSync(process.execPath, ['--import', hook, COMMAND, ...args], { cwd: folder, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`whittle ${args.join(' ')} ended with ${status}: ${stderr}`)
    const { user, system } = JSON.parse(readFileSync(usage, 'utf8')) as NodeJS.CpuUsage
    return { wallSeconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 }
  }
  // Builds the command, and fills the cache of compiled code.
  measure('in/0.jpg', '-o', 'first')
  const one = measure('in/0.jpg', '-o', 'one')
  const all = measure('in', '-o', 'all')
  const cores = availableParallelism()
  const share = all.cpuSeconds / all.wallSeconds / cores
  console.log(`one photograph: ${one.wallSeconds.toFixed(2)} s wall, ${one.cpuSeconds.toFixed(2)} s CPU`)
  console.log(
    `${photographs}: ${all.wallSeconds.toFixed(1)} s wall, ${all.cpuSeconds.toFixed(1)} s CPU, ${share.toFixed(2)} × ${cores} cores`,
  )
  if (load > QUIET_LOAD) console.log(`Not judged: the load was ${load.toFixed(1)} before the start. Run it on an idle machine.`)
  else process.exitCode = one.wallSeconds <= MOST_SECONDS && share >= LEAST_SHARE ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}
