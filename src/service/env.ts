/** Types of the bindings and environment variables of the three Workers. */
import type { AccountApi } from './store/accounts.ts'
import type { EvictorApi } from './store/evictor.ts'
import type { KeyGateApi } from './store/keys.ts'
import type { Metrics } from './store/metrics.ts'
import type { Namespace } from './store/namespace.ts'
import type { SyncRecordApi } from './store/syncs.ts'
import type { JobMessage, TaskRecordApi } from './store/tasks.ts'
import type { UploadRecordApi } from './store/upload-records.ts'
import type { WaitingApi } from './store/waiting.ts'

export type { Namespace } from './store/namespace.ts'

/** Rate limiter of Cloudflare. Counts by key, separately in each Cloudflare location. */
export interface RateLimiter {
  limit(request: { key: string }): Promise<{ success: boolean }>
}

/** RPC methods of the Worker `whittle-press`, which runs quick tasks. */
export interface PressApi {
  /**
   * Runs an accepted task. Resolves when the task has ended or another worker has taken it over.
   * @param bytes size of the file in bytes
   * @param worker id of the caller for its claim
   * @returns `'busy'`: nothing was done; the caller queues the task
   */
  run(taskId: string, bytes: number, worker: string): Promise<'done' | 'busy'>
  /** Resolves if the Worker responds and its engines can be loaded. */
  health(): Promise<{ ok: true; formats: string[] }>
}

/** RPC methods of the Worker `whittle-media`. */
export interface MediaApi {
  health(): Promise<{ ok: true; formats: string[] }>
}

/** Bindings and variables of the edge Worker `whittle`. */
export interface Env {
  /**
   * Bucket for objects without a region. Each region has its own bucket, such as `BLOBS_EU`: see `src/service/store/region-bindings.ts`.
   */
  readonly BLOBS: R2Bucket
  readonly PRESS: PressApi
  /** Static files of the web console. */
  readonly ASSETS: Fetcher
  /** Files of the documentation site as they are on disk now. `undefined`: they are part of `ASSETS`. Only `npm start` sets it. */
  readonly DOCS?: Fetcher
  readonly MEDIA: MediaApi
  readonly KEY_GATES: Namespace<KeyGateApi>
  readonly TASKS: Namespace<TaskRecordApi>
  readonly ACCOUNTS: Namespace<AccountApi>
  readonly UPLOADS: Namespace<UploadRecordApi>
  readonly SYNCS: Namespace<SyncRecordApi>
  readonly PRESS_JOBS: Queue<JobMessage>
  readonly MEDIA_JOBS: Queue<JobMessage>
  /** Queue of containers, for jobs that exceed an isolate's budget. `undefined`: the deployment has no containers. */
  readonly HEAVY_JOBS?: Queue<JobMessage>
  /** Order of all waiting tasks. `undefined`: unknown, as in Cloudflare's queues. Only `npm start` sets it. */
  readonly WAITING?: WaitingApi
  /** Ends task objects early. `undefined`: only the runtime does. Only `npm start` sets it. */
  readonly EVICTOR?: EvictorApi
  /** Metrics in Workers Analytics Engine. `undefined` on one machine. */
  readonly METRICS?: Metrics
  /** Rate limiters by IP address for requests without (`ANON_LIMITER`) and with (`KEY_LIMITER`) an API key. `undefined` on one machine. */
  readonly ANON_LIMITER?: RateLimiter
  readonly KEY_LIMITER?: RateLimiter
  /** Worker secret that encrypts result passwords until their job has run. */
  readonly SECRET_KEY?: string
  /** Worker secret: a JSON Web Key Set (RFC 7517). The first key signs receipts. The public parts of all keys are published. */
  readonly RECEIPT_KEYS?: string
  /** Worker secret that authenticates the operator's API (`/admin`). `undefined`: that API is disabled. */
  readonly ADMIN_TOKEN?: string
  /** Region of new accounts if the operator names none. */
  readonly REGION?: string
  /** "local" allows requests to this machine: see `outgoingRules`. Only `npm start` and the tests set it. */
  readonly ENVIRONMENT?: string
  /** Public https origin of the service if a reverse proxy forwards requests over http. Only `npm start` sets it. */
  readonly PUBLIC_URL?: string
  /** Origin of the service on one machine without a public URL, where requests may name any loopback host. Only `npm start` sets it. */
  readonly ORIGIN?: string
  /** `on`: the front page may send files of visitors without an account. `undefined`: it may not. */
  readonly GUESTS?: string
  /** Largest request body that Cloudflare accepts, in bytes. Default: 100,000,000, as on the Free and Pro plans. */
  readonly MAX_BODY_BYTES?: string
  /** Comma-separated ports that outgoing requests may use besides 443 and 8443. */
  readonly CALLBACK_PORTS?: string
  /** Address of the proxy for outgoing requests on one machine (`src/service/tasks/egress.ts`). Only `npm start` sets it. */
  readonly EGRESS?: string
  /** Memory budget of a job in bytes, for press processes (`npm start`) and deployments with containers. */
  readonly JOB_MEMORY_BYTES?: string
  /** Bytes that a download reads at a time. Default: 8 MiB. Only `npm start` sets it: see `src/service/store/ranged-stream.ts`. */
  readonly DOWNLOAD_RANGE_BYTES?: string
  /** Set if responses name the account in `OWNER_HEADER`. Only `npm start` sets it, whose reverse proxy removes the header. */
  readonly NAMES_OWNER?: string
  /** Lease time in milliseconds, after which a silent worker counts as lost. Default: 90,000. */
  readonly LEASE_MS?: string
}

/** Rules for the addresses of callbacks, sources and destinations. Plain http to this machine is allowed only in local development without a public URL. */
export const outgoingRules = (env: Env) => ({
  loopbackHttp: env.ENVIRONMENT === 'local' && env.PUBLIC_URL === undefined,
  ports: env.CALLBACK_PORTS ? env.CALLBACK_PORTS.split(',').map(Number) : [],
})

/** Bindings of the Workers `whittle-press` and `whittle-media`. */
export interface WorkerEnv {
  readonly BLOBS: R2Bucket
  readonly TASKS: Namespace<TaskRecordApi>
  readonly METRICS?: Metrics
}
