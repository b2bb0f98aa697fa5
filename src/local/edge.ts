/** The Workers of one machine inside workerd: the edge, the forwarder to the worker pool, and the task API for the press processes. */
import { join } from 'node:path'
import type { Miniflare as Instance, Request, Response as ServiceResponse } from 'miniflare'
import type { WorkerKind } from '../service/lanes.ts'
import type { Step } from '../service/tasks/run.ts'
import { jobMemoryBudget } from './budget.ts'
import { docsFiles } from './docs-files.ts'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from './miniflare.ts'
import type { JobLimits } from './options.ts'
import { useParentDeathSignalForWorkerd } from './parent-death-signal.ts'
import { EVICTOR, evictorWorker, resetterWorker } from './unsafe-workers.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface EdgeOptions {
  readonly root: string
  /** Folder of the bundles. */
  readonly build: string
  /** State folder: Durable Objects, blobs and queues. */
  readonly state: string
  readonly port: number
  /** Port of the task API Worker, through which the worker pool reaches tasks and blobs. */
  readonly taskApiPort: number
  readonly inspectorPort?: number
  /** Variables and secrets of the edge Worker, by name. */
  readonly variables: Readonly<Record<string, string>>
  readonly limits: JobLimits
  /** True if `Runtime.resetObjects` may reset all Durable Objects. Default: false. */
  readonly resettable?: boolean
  log(line: string): void
}

/** Compatibility date of the Workers. A test compares it with wrangler.toml. */
export const COMPATIBILITY_DATE = '2026-09-01'
export const COMPATIBILITY_FLAGS = ['nodejs_compat', 'global_fetch_strictly_public']
/** Bytes that a download holds in workerd while its client does not read. */
const DOWNLOAD_RANGE_BYTES = 256 * 1024
export const BUCKET_NAME = 'whittle-blobs'
export const DURABLE_OBJECTS = {
  KEY_GATES: 'KeyGate',
  TASKS: 'TaskRecord',
  ACCOUNTS: 'Account',
  UPLOADS: 'UploadRecord',
  SYNCS: 'SyncRecord',
} as const
export const QUEUES = { PRESS_JOBS: 'whittle-press-jobs', MEDIA_JOBS: 'whittle-media-jobs' } as const

/** Creates the Miniflare instance. Await `ready` before use. */
export function openEdge(options: EdgeOptions, secret: string, pool: WorkerPool): Instance {
  useParentDeathSignalForWorkerd()
  return new Miniflare(convertV4MiniflareOptions(workersOf(options, secret, (request) => answerPoolRequest(pool, request))))
}

/** Answers the requests of the Worker `forward.ts` to the worker pool. */
async function answerPoolRequest(pool: WorkerPool, request: Request): Promise<ServiceResponse> {
  const [, verb, kind = 'press'] = new URL(request.url).pathname.split('/')
  if (kind !== 'press' && kind !== 'media') return new Response(null, { status: 404 })
  if (verb === 'health') return Response.json(await pool.formats(kind satisfies WorkerKind))
  if (verb === 'places') return Response.json(pool.places((await request.json()) as string[]))
  const step = (await request.json()) as Step
  const ended = pool.submit(kind, step)
  if (verb === 'run') await ended
  return Response.json(null)
}

type Options = Parameters<typeof convertV4MiniflareOptions>[0]

const durableObject = (className: string) => ({ className, useSQLite: true })
/** Binding of another Worker to the task objects. */
const tasksOfEdge = { ...durableObject(DURABLE_OBJECTS.TASKS), scriptName: 'whittle' }
const consumer = { maxBatchSize: 1, maxBatchTimeout: 0, maxRetries: 2, retryDelay: 1 }

/** Assets of the pages. The Worker answers first, as in wrangler.toml. */
const assetsIn = (directory: string) => ({
  directory,
  binding: 'ASSETS',
  routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true },
  assetConfig: { html_handling: 'none' as const },
})

function workersOf(options: EdgeOptions, secret: string, pool: (request: Request) => Promise<ServiceResponse>): Options {
  const { root, build, state, port, taskApiPort, inspectorPort, variables, limits, log } = options
  const common = { modulesRoot: build, compatibilityDate: COMPATIBILITY_DATE }
  const worker = (name: string, file: string) => ({
    name,
    modules: [{ type: 'ESModule' as const, path: join(build, file) }],
    ...common,
    compatibilityFlags: [...COMPATIBILITY_FLAGS],
  })
  return {
    host: '127.0.0.1',
    port,
    ...(inspectorPort === undefined ? {} : { inspectorPort }),
    cf: false,
    log: new ForwardingLog(log),
    handleStructuredLogs: ({ message }) => log(message),
    telemetry: { enabled: false },
    unsafeTriggerHandlers: true,
    // The same folder that `wrangler dev --persist-to STATE` uses.
    resourcePersistencePath: join(state, 'v3'),
    workers: [
      {
        ...worker('whittle', 'edge.mjs'),
        bindings: {
          ...variables,
          JOB_MEMORY_BYTES: String(jobMemoryBudget(limits.memoryBytes)),
          DOWNLOAD_RANGE_BYTES: String(DOWNLOAD_RANGE_BYTES),
          NAMES_OWNER: 'true',
        },
        r2Buckets: { BLOBS: BUCKET_NAME },
        serviceBindings: {
          PRESS: { name: 'whittle-press', entrypoint: 'Press' },
          MEDIA: { name: 'whittle-press', entrypoint: 'Media' },
          WAITING: { name: 'whittle-press', entrypoint: 'Waiting' },
          EVICTOR,
          DOCS: docsFiles(join(root, 'console/public')),
        },
        durableObjects: Object.fromEntries(
          Object.entries(DURABLE_OBJECTS).map(([binding, className]) => [binding, durableObject(className)]),
        ),
        queueProducers: { ...QUEUES },
        assets: assetsIn(join(root, 'console/public')),
      },
      {
        ...worker('whittle-press', 'forward.mjs'),
        serviceBindings: { POOL: pool },
        queueConsumers: Object.fromEntries(Object.values(QUEUES).map((queue) => [queue, consumer])),
      },
      {
        ...worker('whittle-door', 'door.mjs'),
        bindings: { DOOR_SECRET: secret },
        r2Buckets: { BLOBS: BUCKET_NAME },
        durableObjects: { TASKS: tasksOfEdge },
        unsafeDirectSockets: [{ host: '127.0.0.1', port: taskApiPort }],
      },
      evictorWorker(common, tasksOfEdge),
      ...(options.resettable ? [resetterWorker(common)] : []),
    ],
  }
}

/** Sends Miniflare's own log lines to the service's log. */
class ForwardingLog extends Log {
  readonly #write: (line: string) => void

  constructor(line: (line: string) => void) {
    super(LogLevel.WARN)
    this.#write = line
  }

  protected override log(message: string): void {
    this.#write(message)
  }
}
