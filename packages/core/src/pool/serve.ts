/** The thread's end of a pool: runs the jobs that it is sent, one after the other. */
import type { Source } from '../../../../src/core/model/codec.ts'
import { memorySource, rangeStream } from '../../../../src/core/model/source.ts'
import { type FromThread, isExpectedError, type JobInput, type Jobs, plainError, type ToThread } from './messages.ts'

/** Connection of a thread to its pool. */
export interface Port {
  post(message: FromThread, transfer?: readonly ArrayBuffer[]): void
  listen(listener: (message: ToThread) => void): void
}

/** What a job can use. */
export interface JobContext {
  readonly onProgress: (share: number) => void
  /** Opens an input. A path stays a path. */
  open(input: JobInput): string | Source
}

/** A function for each kind of job. */
export type Handlers<Known extends Jobs> = {
  readonly [Kind in keyof Known]: (job: Known[Kind]['job'], context: JobContext) => Promise<Known[Kind]['value']>
}

/** Smallest step of progress that is reported. */
const STEP = 0.01

interface PendingRead {
  resolve(bytes: Uint8Array): void
  reject(error: Error): void
}

export function serve<Known extends Jobs>(port: Port, handlers: Handlers<Known>): void {
  const reads = new Map<number, PendingRead>()
  port.listen((message) => {
    if (message.kind === 'job') return void run(port, handlers, message, reads)
    const pending = reads.get(message.id)
    reads.delete(message.id)
    if (message.bytes) pending?.resolve(message.bytes)
    else pending?.reject(new Error(message.message))
  })
}

async function run<Known extends Jobs>(
  port: Port,
  handlers: Handlers<Known>,
  { name, job }: Extract<ToThread, { kind: 'job' }>,
  reads: Map<number, PendingRead>,
): Promise<void> {
  try {
    const handler = handlers[name]
    if (!handler) throw new Error(`unknown job '${name}'`)
    const value = await handler(job, { onProgress: progressTo(port), open: (input) => opened(input, port, reads) })
    port.post({ kind: 'done', value }, 'bytes' in value && value.bytes instanceof Uint8Array ? [value.bytes.buffer as ArrayBuffer] : [])
  } catch (error) {
    port.post({ kind: 'failed', error: plainError(error), isExpected: isExpectedError(error) })
  }
}

function progressTo(port: Port): (share: number) => void {
  let reported = 0
  return (share) => {
    if (share < reported + STEP) return
    reported = share
    port.post({ kind: 'progress', share })
  }
}

function opened(input: JobInput, port: Port, reads: Map<number, PendingRead>): string | Source {
  if (input.kind === 'path') return input.path
  if (input.kind === 'bytes') return memorySource(input.bytes, input.name)
  const { source, size, name } = input
  const read = (offset: number, length: number) =>
    new Promise<Uint8Array>((resolve, reject) => {
      const id = nextRead++
      reads.set(id, { resolve, reject })
      port.post({ kind: 'read', id, source, offset, length })
    })
  return { name, size, read, stream: () => rangeStream(size, read) }
}

let nextRead = 0
