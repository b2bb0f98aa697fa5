/**
 * `npm run check`: types, lint, import rules, prose and commit messages. Runs as many steps at a time as there are cores. Prints their
 * output in the order of `STEPS` and ends with the first step that fails, like a chain of `&&`.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** One process a core checks types with less work than one process on all cores. */
const TSC = 'tsc --noEmit --singleThreaded'

/** A step. `seconds`: CPU time, so that the longest steps start first. */
interface Step {
  readonly command: string
  readonly seconds: number
}

const STEPS: readonly Step[] = [
  { command: TSC, seconds: 9 },
  { command: `${TSC} -p tools/tsconfig.json`, seconds: 12 },
  { command: `${TSC} -p console`, seconds: 6 },
  { command: `${TSC} -p site`, seconds: 6 },
  { command: `${TSC} -p test/tsconfig.json`, seconds: 7 },
  { command: `${TSC} -p packages/clients/typescript`, seconds: 1 },
  { command: 'biome check --error-on-warnings .', seconds: 20 },
  { command: 'node tools/checks/check-imports.ts', seconds: 1 },
  { command: 'npm run --silent check:prose', seconds: 16 },
  { command: 'npm run --silent check:commits', seconds: 1 },
]

interface Ended {
  readonly output: string
  /** Exit code. A step that was killed or could not start has 1. */
  readonly code: number
}

function run(command: string): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const pieces: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
    child.once('error', (error) => done({ output: `${command}: ${error.message}\n`, code: 1 }))
    child.once('close', (code) => done({ output: Buffer.concat(pieces).toString(), code: code ?? 1 }))
  })
}

/** Runs all steps, the longest first. @returns their ends, in the order of `steps` */
function runAll(steps: readonly Step[], workers: number): Promise<Ended>[] {
  const ends = steps.map(() => Promise.withResolvers<Ended>())
  const queue = steps.map((step, at) => ({ ...step, end: ends[at]! })).sort((a, b) => b.seconds - a.seconds)
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) next.end.resolve(await run(next.command))
  }
  for (let worker = 0; worker < workers; worker++) void work()
  return ends.map(({ promise }) => promise)
}

/** Types of other steps need the generated client. */
const client = await run('npm run --silent client')
process.stdout.write(client.output)
if (client.code !== 0) process.exit(client.code)
for (const end of runAll(STEPS, Math.max(2, availableParallelism()))) {
  const { output, code } = await end
  process.stdout.write(output)
  if (code !== 0) {
    process.exitCode = code
    break
  }
}
