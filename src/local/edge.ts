/** The Workers of one machine inside workerd: the edge, what forwards to the presses, and their door. */
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type Request, Response } from 'miniflare'
import type { Kind } from '../service/lanes.ts'
import type { Step } from '../service/tasks/run.ts'
import { budgetOf } from './budget.ts'
import type { JobLimits } from './options.ts'
import { useParentDeathSignalForWorkerd } from './parent-death-signal.ts'
import type { Pool } from './worker-pool.ts'

export interface EdgeOptions {
  readonly root: string
  /** Folder of the bundles. */
  readonly build: string
  /** Folder of everything that is kept. */
  readonly state: string
  readonly port: number
  /** Of the Worker that presses reach the service through. */
  readonly taskApiPort: number
  readonly inspectorPort?: number
  /** Variables and secrets of the edge. */
  readonly variables: Readonly<Record<string, string>>
  readonly limits: JobLimits
  /** Whether all objects may be reset. */
  readonly resettable?: boolean
  log(line: string): void
}

/** As in wrangler.toml, to which a test holds it. */
export const DATE = '2026-09-01'
export const FLAGS = ['nodejs_compat', 'global_fetch_strictly_public']
export const BUCKET = 'whittle-blobs'
export const OBJECTS = { KEY_GATES: 'KeyGate', TASKS: 'TaskRecord', ACCOUNTS: 'Account', UPLOADS: 'UploadRecord' } as const
export const QUEUES = { PRESS_JOBS: 'whittle-press-jobs', MEDIA_JOBS: 'whittle-media-jobs' } as const

/** Not ready yet. */
export function openEdge(options: EdgeOptions, secret: string, pool: Pool): Miniflare {
  useParentDeathSignalForWorkerd()
  return new Miniflare(convertV4MiniflareOptions(workersOf(options, secret, (request) => ask(pool, request))))
}

/** What the Worker `forward.ts` asks of the presses. */
async function ask(pool: Pool, request: Request): Promise<Response> {
  const [, verb, kind = 'press'] = new URL(request.url).pathname.split('/')
  if (kind !== 'press' && kind !== 'media') return new Response(null, { status: 404 })
  if (verb === 'health') return Response.json(await pool.formats(kind satisfies Kind))
  const step = (await request.json()) as Step
  const ended = pool.submit(kind, step)
  if (verb === 'run') await ended
  return Response.json(null)
}

type Options = Parameters<typeof convertV4MiniflareOptions>[0]

function workersOf(options: EdgeOptions, secret: string, pool: (request: Request) => Promise<Response>): Options {
  const { root, build, state, port, taskApiPort, inspectorPort, variables, limits, log } = options
  const worker = (name: string, file: string) => ({
    name,
    modules: [{ type: 'ESModule' as const, path: join(build, file) }],
    modulesRoot: build,
    compatibilityDate: DATE,
    compatibilityFlags: [...FLAGS],
  })
  const own = (className: string) => ({ className, useSQLite: true })
  const consumer = { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 2, retryDelay: 1 }
  return {
    host: '127.0.0.1',
    port,
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
    cf: false,
    log: new LineLog(log),
    handleStructuredLogs: ({ message }) => log(message),
    telemetry: { enabled: false },
    unsafeTriggerHandlers: true,
    // Where `wrangler dev --persist-to STATE` keeps everything.
    resourcePersistencePath: join(state, 'v3'),
    workers: [
      {
        ...worker('whittle', 'edge.mjs'),
        bindings: { ...variables, JOB_MEMORY_BYTES: String(budgetOf(limits.memoryBytes)) },
        r2Buckets: { BLOBS: BUCKET },
        serviceBindings: { PRESS: { name: 'whittle-press', entrypoint: 'Press' }, MEDIA: { name: 'whittle-press', entrypoint: 'Media' } },
        durableObjects: Object.fromEntries(Object.entries(OBJECTS).map(([binding, className]) => [binding, own(className)])),
        queueProducers: { ...QUEUES },
        assets: {
          directory: join(root, 'console/public'),
          binding: 'ASSETS',
          routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true },
          assetConfig: { html_handling: 'none' },
        },
      },
      {
        ...worker('whittle-press', 'forward.mjs'),
        serviceBindings: { POOL: pool },
        queueConsumers: Object.fromEntries(Object.values(QUEUES).map((queue) => [queue, consumer])),
      },
      {
        ...worker('whittle-door', 'door.mjs'),
        bindings: { DOOR_SECRET: secret },
        r2Buckets: { BLOBS: BUCKET },
        durableObjects: { TASKS: { ...own(OBJECTS.TASKS), scriptName: 'whittle' } },
        unsafeDirectSockets: [{ host: '127.0.0.1', port: taskApiPort }],
      },
      ...(options.resettable ? [resetter(build)] : []),
    ],
  }
}

export const RESETTER = 'whittle-resetter'

/** Breaks every object of this workerd; no other Worker may, and nobody reaches it but this process. */
const resetter = (modulesRoot: string) => ({
  name: RESETTER,
  modules: [
    {
      type: 'ESModule' as const,
      path: join(modulesRoot, 'resetter.mjs'),
      contents: `import unsafe from 'workerd:unsafe'
        export default { async fetch() { await unsafe.abortAllDurableObjects(); return new Response() } }`,
    },
  ],
  modulesRoot,
  compatibilityDate: DATE,
  compatibilityFlags: ['unsafe_module'],
})

/** Miniflare's own lines, among all others. */
class LineLog extends Log {
  readonly #line: (line: string) => void

  constructor(line: (line: string) => void) {
    super(LogLevel.WARN)
    this.#line = line
  }

  protected override log(message: string): void {
    this.#line(message)
  }
}
