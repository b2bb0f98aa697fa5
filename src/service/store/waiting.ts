/** Waiting tasks: how many start before them, and when they start. */

/** Most event streams that one key may have open. */
export const MAX_STREAMS_PER_KEY = 20

/** RPC methods for the event streams of an account. */
export interface StreamsApi {
  /** Takes or renews the place of a stream. Returns `false` if the key has `MAX_STREAMS_PER_KEY` others. */
  hold(keyId: string, streamId: string): Promise<boolean>
  leave(keyId: string, streamId: string): Promise<void>
}

/** Place of a task that has not started. */
export interface WaitingPlace {
  /** Number of tasks that start before this one. */
  readonly position: number
  /** Estimated seconds until the task starts. `null`: unknown. */
  readonly seconds: number | null
}

/** Binding to the worker pool of one machine, which orders all waiting tasks. */
export interface WaitingApi {
  /** Places of those of `taskIds` that wait or are about to start. */
  places(taskIds: readonly string[]): Promise<Readonly<Record<string, WaitingPlace>>>
}
