/**
 * Entry point of a `whittle-heavy` container: receives steps over HTTP and runs them in press processes. Environment: DOOR (address of
 * the task API), STEP_PORT (port to listen on), PRESS_MB (memory limit of a press process in MB). Ends on SIGTERM.
 */
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Step } from '../service/tasks/run.ts'
import { buildBundles } from './build.ts'
import { findFfmpeg } from './native.ts'
import { STEP_LIMITS } from './options.ts'
import { TaskApiClient } from './task-api-client.ts'
import { WorkerPool } from './worker-pool.ts'

interface Work {
  readonly kind: 'press' | 'media'
  readonly step: Step
}

const { DOOR = '', STEP_PORT = '', PRESS_MB = '' } = process.env
const root = resolve(import.meta.dirname, '../..')
const pool = await WorkerPool.open({
  workers: 1,
  // Any secret will do: only this container can reach that address.
  taskApi: new TaskApiClient(DOOR, 'container'),
  build: await buildBundles(root, join(root, '.dev/build')),
  folder: join(tmpdir(), 'presses'),
  heavy: true,
  native: findFfmpeg(undefined),
  limits: { ...STEP_LIMITS, memoryBytes: Number(PRESS_MB) * 2 ** 20 },
  log: (line) => console.log(line),
})

const server = createServer(async (request, response) => {
  try {
    if (request.url === '/step') await work(request)
    response.end()
  } catch (error) {
    response.writeHead(400).end(String(error))
  }
}).listen(Number(STEP_PORT))

async function work(request: IncomingMessage): Promise<void> {
  const { kind, step } = JSON.parse(await text(request)) as Work
  await pool.submit(kind, step)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    server.close()
    await pool[Symbol.asyncDispose]()
    process.exit(0)
  })
}
