/** Uploads and their tasks. They survive a change of the page; sent files also survive a reload. */
import { call, type ErrorDetail, isOpen, Refusal, type Task, upload } from './api.ts'
import { isTesting } from './connection.ts'
import { t } from './language.ts'
import { message } from './parts.tsx'
import { RESUMABLE_BYTES, uploadInChunks } from './resumable.ts'

export interface Attempt {
  readonly id: number
  readonly name: string
  readonly size: number
  /** File of the browser. `undefined` after a reload, because browsers do not keep it. */
  readonly file?: File
  /** Options of the request. Passwords are not stored. */
  readonly wishes: Readonly<Record<string, string>>
  readonly state: 'waiting' | 'uploading' | 'working' | 'done' | 'failed'
  /** Share of the bytes that were sent, 0 to 1. */
  readonly uploaded: number
  /** Start of the upload, in ms of the page's clock. */
  readonly begunMs?: number
  readonly task?: Task
  readonly error?: string
  readonly failure?: Failure
}

/** Why an attempt failed. `status`: HTTP status, or 0 if the service could not be reached; `undefined`: the task failed. */
export interface Failure extends ErrorDetail {
  readonly status?: number
}

/** Parallel uploads. More would share the same bandwidth and block the browser's connections for other requests. */
const UPLOADS_AT_A_TIME = 3
const FIRST_LOOK_MS = 700
const LAST_LOOK_MS = 4000
/** Failed requests after which polling stops: about two minutes without the service. */
const MAX_FAILED_POLLS = 30
const MEMORY = isTesting ? 'whittle-files-test' : 'whittle-files'

let attempts: readonly Attempt[] = []
let show: (all: readonly Attempt[]) => void = () => undefined
let count = 0
/** Functions that cancel the upload of an attempt. */
const cancels = new Map<number, AbortController>()

export const allAttempts = () => attempts

/**
 * Calls `listener` after every change.
 * @returns function that unsubscribes
 */
export function watchAttempts(listener: (all: readonly Attempt[]) => void): () => void {
  show = listener
  listener(attempts)
  return () => {
    show = () => undefined
  }
}

/** Clears all attempts, so that the next person who signs in does not see them. */
export function forgetAttempts(): void {
  for (const cancel of cancels.values()) cancel.abort()
  waiting.length = 0
  put([])
}

function put(all: readonly Attempt[]): void {
  attempts = all
  const kept = all.map(({ name, size, wishes: { password, ...wishes }, task }) => ({ name, size, wishes, taskId: task?.task_id }))
  sessionStorage.setItem(MEMORY, JSON.stringify(kept))
  show(all)
}

const change = (id: number, part: Partial<Attempt>) => put(attempts.map((one) => (one.id === id ? { ...one, ...part } : one)))
const isThere = (id: number) => attempts.some((one) => one.id === id)

/** Adds files in their order. `limit`: largest file of the plan, in bytes. */
export function begin(files: readonly File[], wishes: Readonly<Record<string, string>>, limit: number | undefined, tooLarge: string): void {
  const fresh = files.map((file): Attempt => {
    const isTooLarge = limit !== undefined && file.size > limit
    const state = isTooLarge
      ? ({ state: 'failed', error: tooLarge, failure: { type: 'file_too_large' } } as const)
      : ({ state: 'waiting' } as const)
    return { id: ++count, name: file.name, size: file.size, file, wishes, uploaded: 0, ...state }
  })
  put([...attempts, ...fresh])
  for (const attempt of fresh) if (attempt.state === 'waiting') void go(attempt)
}

/** Restores the attempts that this tab had sent before a reload. */
export function restoreAttempts(): void {
  if (attempts.length > 0) return
  const kept = JSON.parse(sessionStorage.getItem(MEMORY) ?? '[]') as (Pick<Attempt, 'name' | 'size' | 'wishes'> & { taskId?: string })[]
  const restored = kept.map(({ taskId, ...known }): Attempt & { taskId?: string } => {
    if (taskId === undefined) {
      return {
        id: ++count,
        ...known,
        uploaded: 0,
        state: 'failed',
        error: t('The page was reloaded before this file was uploaded completely. Choose the file again.'),
        failure: {},
      }
    }
    return { id: ++count, ...known, uploaded: 1, state: 'working', taskId }
  })
  put(restored.map(({ taskId, ...attempt }) => attempt))
  for (const { id, taskId } of restored) if (taskId !== undefined) void follow(id, () => call<Task>('GET', `/v1/tasks/${taskId}`))
}

/** Sends the file again. `wishes`: options that differ from those of the attempt. */
export function retry({ id }: Attempt, wishes: Readonly<Record<string, string>> = {}): void {
  const again = attempts.find((one) => one.id === id)
  if (!again?.file) return
  const { error, failure, task, ...asked } = again
  const fresh: Attempt = { ...asked, wishes: { ...asked.wishes, ...wishes }, state: 'waiting', uploaded: 0 }
  put(attempts.map((one) => (one.id === id ? fresh : one)))
  void go(fresh)
}

/** Removes an attempt from the list and cancels its upload. A finished task stays in the list of tasks. */
export function dismiss({ id, task }: Attempt): void {
  cancels.get(id)?.abort()
  put(attempts.filter((one) => one.id !== id))
  if (task && isOpen(task)) void call('DELETE', `/v1/tasks/${task.task_id}`).catch(() => undefined)
}

export function dismissDone(): void {
  put(attempts.filter(({ state }) => state !== 'done' && state !== 'failed'))
}

async function go({ id, file, wishes }: Attempt): Promise<void> {
  if (!file) return
  const cancel = new AbortController()
  cancels.set(id, cancel)
  await follow(id, () => inTurn(() => uploadWhenFree(id, file, wishes, cancel.signal)))
  cancels.delete(id)
}

/** Polls until the task has ended or cannot be read. */
async function follow(id: number, accepted: () => Promise<Task>): Promise<void> {
  try {
    const task = await accepted()
    change(id, { uploaded: 1, ...stateOf(task) })
    await watch(id, task)
  } catch (problem) {
    const failure = problem instanceof Refusal ? { ...problem.detail, status: problem.status } : {}
    change(id, { state: 'failed', error: message(problem), failure })
  }
}

function stateOf(task: Task): Partial<Attempt> {
  if (isOpen(task)) return { task, state: 'working' }
  return task.status === 'completed'
    ? { task, state: 'done' }
    : { task, state: 'failed', error: task.error?.message ?? t('failed'), failure: task.error_detail ?? {} }
}

/** Starts uploads up to the rate limit of the plan; the others wait. */
async function uploadWhenFree(id: number, file: File, wishes: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Task> {
  for (;;) {
    signal.throwIfAborted()
    change(id, { state: 'uploading', begunMs: performance.now() })
    try {
      const send = file.size > RESUMABLE_BYTES ? uploadInChunks : upload
      return await send(file, wishes, { progress: (uploaded) => change(id, { uploaded }), signal })
    } catch (problem) {
      const seconds = problem instanceof Refusal && problem.status === 429 ? problem.retryAfterSeconds : undefined
      if (seconds === undefined || !isThere(id)) throw problem
      change(id, { state: 'waiting', uploaded: 0 })
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}

async function watch(id: number, accepted: Task): Promise<void> {
  let vain = 0
  for (let task = accepted, pauseMs = FIRST_LOOK_MS; isOpen(task); pauseMs = Math.min(LAST_LOOK_MS, pauseMs * 1.2)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (!isThere(id)) return
    try {
      task = await call<Task>('GET', `/v1/tasks/${task.task_id}`)
      vain = 0
      change(id, stateOf(task))
    } catch (problem) {
      // Polling continues after a lost connection, a busy service or the rate limit.
      if (
        !(problem instanceof Refusal) ||
        (problem.status > 0 && problem.status < 500 && problem.status !== 429) ||
        ++vain > MAX_FAILED_POLLS
      )
        throw problem
    }
  }
}

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= UPLOADS_AT_A_TIME) await new Promise<void>((enter) => waiting.push(enter))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}
