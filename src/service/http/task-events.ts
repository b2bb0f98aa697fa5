/** Events of tasks: their progress until each of them has ended. One task, or all tasks of a batch. */

import { minOf } from '../../core/bytes/min-max.ts'
import type { Task } from '../store/task.ts'
import { isOpen, jointEta, outlookOf, placesOf } from '../tasks/outlook.ts'
import type { AppContext } from './context.ts'
import { EndedTasks } from './ended-tasks.ts'
import { HEARTBEAT_MS } from './event-stream.ts'
import { type LimitedStream, limitedEventStream, MIN_PAUSE_MS } from './limited-event-stream.ts'
import { viewOf } from './task-serialiser.ts'

/** Milliseconds of one call that waits for a change of a task. */
const WATCH_MS = 30_000
/** Milliseconds after which the place of waiting tasks is asked for again. Nothing tells that a queue has moved. */
const REFRESH_MS = 5000
/** Calls of Durable Objects in one stream. Cloudflare allows 1,000 in a request; the client then comes again. */
const MAX_CALLS = 800

/**
 * Answers with the events of tasks of the caller's account.
 * @throws ApiError `too_many_streams` if the key has its maximum of streams open
 */
export async function taskEvents(c: AppContext, tasks: readonly Task[]): Promise<Response> {
  const ended = EndedTasks.after(c.req.header('Last-Event-ID'))
  // A client that has received every end need not come again (WHATWG HTML, 9.2.3).
  if (tasks.every((task) => !isOpen(task) && ended.has(task))) return new Response(null, { status: 204 })
  return limitedEventStream(c, (stream) => new TaskStream(c, { tasks, ended, ...stream }).run())
}

interface StreamParts extends LimitedStream {
  readonly tasks: readonly Task[]
  readonly ended: EndedTasks
}

/** What a watch of a task returned. `task` `undefined`: it was deleted, or cannot be reached now. */
interface Change {
  readonly id: string
  readonly task: Task | undefined
}

class TaskStream {
  readonly #c: AppContext
  readonly #parts: StreamParts
  /** Tasks of the stream as they are known, without deleted ones. */
  readonly #known: Map<string, Task>
  readonly #watches = new Map<string, Promise<Change>>()
  #calls = 0
  #progress = 0
  #lastProgress = ''
  #lastProgressMs = 0
  #lastBeatMs = Date.now()
  /** Milliseconds until a change that was held back may be sent. Not positive: none was. */
  #pauseMs = 0

  constructor(c: AppContext, parts: StreamParts) {
    this.#c = c
    this.#parts = parts
    this.#known = new Map(parts.tasks.map((task) => [task.taskId, task]))
  }

  async run(): Promise<void> {
    for (const task of this.#known.values()) if (!isOpen(task)) await this.#sendEnd(task)
    while (this.#open().length > 0 && this.#calls < MAX_CALLS && !this.#parts.signal.aborted) {
      await this.#sendProgress()
      const change = await this.#nextChange()
      if (change) await this.#take(change)
      if (Date.now() - this.#lastBeatMs >= HEARTBEAT_MS) await this.#beat()
    }
  }

  #open(): Task[] {
    return [...this.#known.values()].filter(isOpen)
  }

  async #take({ id, task }: Change): Promise<void> {
    this.#watches.delete(id)
    if (!task) this.#known.delete(id)
    else {
      this.#known.set(id, task)
      if (!isOpen(task)) await this.#sendEnd(task)
    }
  }

  async #sendEnd(task: Task): Promise<void> {
    const { ended, events } = this.#parts
    if (ended.has(task)) return
    ended.add(task)
    const name = task.status === 'completed' ? 'completed' : 'failed'
    await events.send({ name, id: ended.eventId(), data: viewOf(this.#c, task) })
  }

  /** Sends the progress if it has changed. */
  async #sendProgress(): Promise<void> {
    this.#pauseMs = this.#lastProgressMs + MIN_PAUSE_MS - Date.now()
    if (this.#pauseMs > 0) return
    const data = await this.#progressNow()
    const { queue_position, progress } = data
    // The estimate alone changes all the time.
    const facts = JSON.stringify({ queue_position, progress })
    if (facts === this.#lastProgress) return
    this.#lastProgress = facts
    this.#lastProgressMs = Date.now()
    await this.#parts.events.send({ name: 'progress', id: this.#parts.ended.eventId(), data })
  }

  async #progressNow() {
    const open = this.#open()
    if (open.some(({ status }) => status === 'pending')) this.#calls++
    const places = await placesOf(this.#c.env, open)
    const now = Date.now()
    const outlooks = open.map((task) => outlookOf(task, now, places[task.taskId]))
    const positions = outlooks.flatMap(({ queuePosition }) => queuePosition ?? [])
    this.#progress = Math.max(this.#progress, meanProgress([...this.#known.values()]))
    return {
      progress: this.#progress,
      // The tasks of a batch end together with its last one.
      eta_seconds: jointEta([...this.#known.values()], now, places),
      queue_position: positions.length === 0 ? null : minOf(positions),
    }
  }

  async #beat(): Promise<void> {
    this.#calls++
    this.#lastBeatMs = Date.now()
    await Promise.all([this.#parts.events.beat(), this.#parts.hold()])
    // Sends the newer estimate, too.
    this.#lastProgress = ''
  }

  /** Waits until a task changes, a heartbeat is due, the queue is to be asked again, or the time is over. */
  async #nextChange(): Promise<Change | undefined> {
    const open = this.#open()
    for (const task of open) if (!this.#watches.has(task.taskId)) this.#watches.set(task.taskId, this.#watch(task))
    const refreshMs = open.some(({ status }) => status === 'pending') ? REFRESH_MS : WATCH_MS
    const { promise: late, resolve } = Promise.withResolvers<undefined>()
    const beatMs = Math.max(0, this.#lastBeatMs + HEARTBEAT_MS - Date.now())
    const timer = setTimeout(() => resolve(undefined), Math.min(this.#pauseMs > 0 ? this.#pauseMs : refreshMs, beatMs))
    const stop = () => resolve(undefined)
    this.#parts.signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([late, ...this.#watches.values()])
    } finally {
      clearTimeout(timer)
      this.#parts.signal.removeEventListener('abort', stop)
    }
  }

  async #watch(task: Task): Promise<Change> {
    const { taskId: id, status, progress } = task
    this.#calls++
    try {
      return { id, task: await this.#c.env.TASKS.getByName(id).watch({ status, progress }, WATCH_MS) }
    } catch {
      // The object was reset. The task continues, so ask again after a pause.
      await new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS))
      return { id, task }
    }
  }
}

/** Progress of all tasks together, 0–1, by the size of their uploads. */
function meanProgress(tasks: readonly Task[]): number {
  const weightOf = ({ originalSize }: Task) => originalSize + 1
  const whole = tasks.reduce((sum, task) => sum + weightOf(task), 0)
  const done = tasks.reduce((sum, task) => sum + weightOf(task) * (isOpen(task) ? task.progress : 1), 0)
  return whole === 0 ? 1 : done / whole
}
