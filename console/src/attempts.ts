/** Files on their way through the service. They outlive the page that shows them: a look at another page loses nothing. */
import { call, isOpen, Refusal, type Task, upload } from './api.ts'
import { message } from './parts.tsx'
import { RESUMABLE_BYTES, uploadInChunks } from './resumable.ts'

export interface Attempt {
  readonly id: number
  readonly file: File
  readonly wishes: Record<string, string>
  readonly uploaded: number
  readonly task?: Task
  readonly error?: string
}

/** More uploads at a time would only share the line, and keep the browser's few connections from everything else. */
const UPLOADS_AT_A_TIME = 3
const FIRST_LOOK_MS = 700
const LAST_LOOK_MS = 4000
/** A watch goes on while the service cannot be reached, for about two minutes. */
const LOOKS_IN_VAIN = 30

let attempts: readonly Attempt[] = []
let show: (all: readonly Attempt[]) => void = () => undefined
let count = 0

export const allAttempts = () => attempts

/** Tells `listener` of every change from now on; the answer ends that. */
export function watchAttempts(listener: (all: readonly Attempt[]) => void): () => void {
  show = listener
  listener(attempts)
  return () => {
    show = () => undefined
  }
}

/** Whoever signs in next must not see them. */
export function forgetAttempts(): void {
  waiting.length = 0
  put([])
}

function put(all: readonly Attempt[]): void {
  attempts = all
  show(all)
}

const change = (id: number, part: Partial<Attempt>) => put(attempts.map((one) => (one.id === id ? { ...one, ...part } : one)))

export async function begin(file: File, wishes: Record<string, string>): Promise<void> {
  const id = ++count
  put([{ id, file, wishes, uploaded: 0 }, ...attempts])
  try {
    const task = await inTurn(() => uploadWhenFree(id, file, wishes))
    change(id, { uploaded: 1, task })
    await watch(id, task)
  } catch (problem) {
    change(id, { error: message(problem) })
  }
}

/** More files than the plan takes in a minute wait for their turn. */
async function uploadWhenFree(id: number, file: File, wishes: Record<string, string>): Promise<Task> {
  for (;;) {
    try {
      const send = file.size > RESUMABLE_BYTES ? uploadInChunks : upload
      return await send(file, wishes, (uploaded) => change(id, { uploaded }))
    } catch (problem) {
      const seconds = problem instanceof Refusal && problem.status === 429 ? problem.retryAfterSeconds : undefined
      if (seconds === undefined || !attempts.some((one) => one.id === id)) throw problem
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}

async function watch(id: number, accepted: Task): Promise<void> {
  let vain = 0
  for (let task = accepted, pauseMs = FIRST_LOOK_MS; isOpen(task); pauseMs = Math.min(LAST_LOOK_MS, pauseMs * 1.2)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (!attempts.some((one) => one.id === id)) return
    try {
      task = await call<Task>('GET', `/v1/tasks/${task.task_id}`)
      vain = 0
      change(id, { task })
    } catch (problem) {
      // A line that breaks, a service that is busy, or looks that are too many, do not end the job that is watched.
      if (!(problem instanceof Refusal) || (problem.status > 0 && problem.status < 500 && problem.status !== 429) || ++vain > LOOKS_IN_VAIN)
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

/** The files of a drop, also those in folders. */
export async function droppedFiles(data: DataTransfer | null): Promise<File[]> {
  // Both must be asked for before anything is awaited: afterwards the drop is empty.
  const plain = [...(data?.files ?? [])]
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) return plain
  return (await Promise.all(entries.map(filesIn))).flat()
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const all: File[] = []
  for (;;) {
    // A hundred or so at a time, until none come.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    for (const one of some) all.push(...(await filesIn(one)))
  }
}
