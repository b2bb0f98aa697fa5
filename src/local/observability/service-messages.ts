/** Messages between the service process and its parent, which keeps the metrics and answers the probes. Sent by structured clone. */
import type { CountedJob } from '../../service/store/metrics.ts'

/** State of the worker pool. */
export interface PoolState {
  /** Number of steps that wait for a press process. */
  readonly queued: number
  /** Seconds that the oldest of them has waited. 0: none waits. */
  readonly oldestSeconds: number
  /** Number of steps that run. */
  readonly running: number
  /** Number of press processes that can take a step or run one. */
  readonly ready: number
}

/** Why a press process ended that was not needed any more, or had to be replaced. */
export type PressEnd = 'crashed' | 'over_budget' | 'stopped' | 'idle'

export type MessageFromService =
  | { readonly kind: 'job'; readonly job: CountedJob }
  | { readonly kind: 'press_ended'; readonly why: PressEnd }
  | { readonly kind: 'pool'; readonly pool: PoolState }

/** The parent asks for `PoolState`. */
export interface MessageToService {
  readonly kind: 'ask_pool'
}
