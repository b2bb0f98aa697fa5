/**
 * The local service as one process: `node src/local/serve.ts OPTIONS`, where OPTIONS is `ServeOptions` as one line of JSON. It writes
 * its log to standard output and takes `COMMANDS` on standard input.
 * `src/local/service.ts` starts, supervises and ends it with all its child processes.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { bundlesOf } from './installation.ts'
import { findFfmpeg } from './native.ts'
import type { MessageFromService, MessageToService } from './observability/service-messages.ts'
import { COMMANDS, DRAINED, type ServeOptions, STEP_LIMITS, VARIABLES } from './options.ts'
import { killGroupWithParent } from './parent-death-signal.ts'
import { openRuntime } from './runtime.ts'

/** Log line after a reset of all Durable Objects. */
const OBJECTS_RESET = JSON.stringify({ level: 'warn', event: 'objects_reset' })

killGroupWithParent()
const options = JSON.parse(process.argv[2] ?? '') as ServeOptions
const { root, state, port, taskApiPort, inspectorPort, publicUrl, workers, memoryBytes, ffmpeg, resettable = false } = options
const variables = JSON.parse(process.env[VARIABLES] ?? '{}') as Record<string, string>
// Processes that this one starts do not inherit them.
delete process.env[VARIABLES]
const build = await bundlesOf(root)
const runtime = await openRuntime({
  root,
  build,
  state,
  port,
  taskApiPort,
  ...(inspectorPort === undefined ? {} : { inspectorPort }),
  variables: {
    ...variablesIn(options.secretsFile),
    ...variables,
    ...(publicUrl === undefined ? {} : { PUBLIC_URL: publicUrl }),
  },
  workers,
  resettable,
  native: findFfmpeg(ffmpeg),
  limits: { ...STEP_LIMITS, ...options.limits, memoryBytes },
  observer: {
    jobEnded: (job) => tellParent({ kind: 'job', job }),
    pressEnded: (why) => tellParent({ kind: 'press_ended', why }),
  },
  log: (line) => console.log(line),
})
process.on('message', ({ kind }: MessageToService) => {
  if (kind === 'ask_pool') tellParent({ kind: 'pool', pool: runtime.poolState() })
})

/** Sends a message to the parent. Does nothing if it has ended, because then this process ends, too. */
function tellParent(message: MessageFromService): void {
  if (process.connected) process.send?.(message, () => undefined)
}

async function stop(): Promise<void> {
  await runtime[Symbol.asyncDispose]()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

// Commands come on standard input, because Miniflare ends this process at once on the usual signals.
createInterface({ input: process.stdin }).on('line', (command) => {
  if (command === COMMANDS.drain) void runtime.drain().then(() => console.log(DRAINED))
  if (command === COMMANDS.stop) void stop()
})

if (resettable) process.on('SIGUSR2', () => void runtime.resetObjects().then(() => console.log(OBJECTS_RESET)))

function variablesIn(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}
