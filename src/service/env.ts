/** Bindings and variables of the three Workers, parsed once. */
import type { AccountFace } from './store/accounts.ts'
import type { KeyGateFace } from './store/keys.ts'
import type { Metrics } from './store/metrics.ts'
import type { Namespace } from './store/namespace.ts'
import type { JobMessage, TaskRecordFace } from './store/tasks.ts'
import type { UploadRecordFace } from './store/upload-records.ts'

export type { Namespace } from './store/namespace.ts'

/** The platform's rate limiting, by address and place of the edge. */
export interface RateLimiter {
  limit(request: { key: string }): Promise<{ success: boolean }>
}

/** RPC of `whittle-press` for the quick lane. */
export interface PressFace {
  /**
   * Runs a task of so many bytes that was accepted, and returns when it has ended, or was given to somebody else before.
   * `worker` is its name in the claim. 'busy': nothing was done, the queue shall have it.
   */
  run(taskId: string, bytes: number, worker: string): Promise<'done' | 'busy'>
  /** Is the Worker there, and are its engines loadable? */
  health(): Promise<{ ok: true; formats: string[] }>
}

/** RPC of `whittle-media`. */
export interface MediaFace {
  health(): Promise<{ ok: true; formats: string[] }>
}

/** `whittle`: the edge. */
export interface Env {
  /** Of what has no region. A region has a bucket of its own, `BLOBS_EU`: see `placed` in `src/service/store/region-bindings.ts`. */
  readonly BLOBS: R2Bucket
  readonly PRESS: PressFace
  /** The console's files. */
  readonly ASSETS: Fetcher
  readonly MEDIA: MediaFace
  readonly KEY_GATES: Namespace<KeyGateFace>
  readonly TASKS: Namespace<TaskRecordFace>
  readonly ACCOUNTS: Namespace<AccountFace>
  readonly UPLOADS: Namespace<UploadRecordFace>
  readonly PRESS_JOBS: Queue<JobMessage>
  readonly MEDIA_JOBS: Queue<JobMessage>
  /** To containers, for what isolates are too small for; absent where there are none. */
  readonly HEAVY_JOBS?: Queue<JobMessage>
  /** Workers Analytics Engine; absent on one machine. */
  readonly METRICS?: Metrics
  /** Requests of one address a minute, without a key and with one; absent on one machine. */
  readonly STRANGERS?: RateLimiter
  readonly PROGRAMS?: RateLimiter
  /** Encrypts passwords that wait for their job. A Worker secret. */
  readonly SECRET_KEY?: string
  /** A set of JSON Web Keys (RFC 7517): the first signs receipts, all are published without private parts. A Worker secret. */
  readonly RECEIPT_KEYS?: string
  /** Opens the operator's API (`/admin`); without it there is none. A Worker secret. */
  readonly ADMIN_TOKEN?: string
  /** Of new accounts, where the operator names none. */
  readonly REGION?: string
  /** "local": see `callbackRules`. Only `npm start` and the tests set it. */
  readonly ENVIRONMENT?: string
  /** The https origin that clients use, where a proxy stands before the service and speaks http to it. Only `npm start` sets it. */
  readonly PUBLIC_URL?: string
  /** The largest body that the zone lets through, in bytes; 100 000 000 by default, as on Cloudflare's Free and Pro plans. */
  readonly MAX_BODY_BYTES?: string
  /** Ports that callbacks may go to beside 443 and 8443, with commas. */
  readonly CALLBACK_PORTS?: string
  /** On one machine: where requests go that leave it (`src/service/tasks/egress.ts`). Only `npm start` sets it. */
  readonly EGRESS?: string
  /** Bytes of memory that a job may use, where presses are processes: `npm start`, and deployments with containers. */
  readonly JOB_MEMORY_BYTES?: string
  /** Milliseconds until a silent worker is given up; 90 000 by default. */
  readonly LEASE_MS?: string
}

/** Where callbacks may go. To http on this machine only where nobody else can ask for them. */
export const callbackRules = (env: Env) => ({
  loopbackHttp: env.ENVIRONMENT === 'local' && env.PUBLIC_URL === undefined,
  ports: env.CALLBACK_PORTS ? env.CALLBACK_PORTS.split(',').map(Number) : [],
})

/** `whittle-press` and `whittle-media`. */
export interface WorkerEnv {
  readonly BLOBS: R2Bucket
  readonly TASKS: Namespace<TaskRecordFace>
  readonly METRICS?: Metrics
}
