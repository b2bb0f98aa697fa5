/** All results of a batch as one ZIP, written while the client reads it. */

import { makeZip, predictLength } from 'client-zip'
import { zipNames } from '../../core/model/zip-names.ts'
import type { Task, TaskResult } from '../store/task.ts'
import { attachment } from '../tasks/file-name.ts'
import type { AppContext } from './context.ts'
import { openResult } from './file-answer.ts'
import { receiptOf, signed } from './signing.ts'

const RECEIPTS = '_receipts.json'

type CompletedTask = Task & { readonly result: TaskResult }

export const isCompleted = (task: Task): task is CompletedTask => task.status === 'completed' && task.result !== undefined

/**
 * Answers with a ZIP of these results and of their receipts. The entries are stored, not compressed again. If a result is deleted
 * meanwhile, the answer ends before its announced length.
 */
export async function zipAnswer(c: AppContext, tasks: readonly CompletedTask[], fileName: string): Promise<Response> {
  const names = zipNames(
    tasks.map(({ result }) => result.outputName),
    [RECEIPTS],
  )
  const receipts = await receiptsOf(c, tasks, names)
  const sizes = [{ name: RECEIPTS, size: receipts.length }, ...tasks.map(({ result }, i) => ({ name: names[i]!, size: result.size }))]
  const length = Number(predictLength(sizes))
  const headers = {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachment(fileName),
    'Content-Length': String(length),
    'Cache-Control': 'private, no-store, no-transform',
    'Content-Security-Policy': "sandbox; default-src 'none'",
  }
  if (c.req.raw.method === 'HEAD') return new Response(null, { headers })
  return new Response(bodyOf(entries(c, tasks, { names, receipts }), length), { headers })
}

interface Contents {
  readonly names: readonly string[]
  readonly receipts: Uint8Array
}

/** Bytes of one read. The bucket's own chunks of 4 KB would take longer. */
const CHUNK_BYTES = 128 * 1024

/** Entries in order. Each result is opened when the one before it was read to its end. */
async function* entries(c: AppContext, tasks: readonly CompletedTask[], { names, receipts }: Contents) {
  yield { name: RECEIPTS, input: receipts, size: receipts.length, lastModified: new Date() }
  for (const [i, task] of tasks.entries()) {
    const { result, completedAt, createdAt } = task
    const reader = (await openResult(c, task, result, 0, result.size)).getReader({ mode: 'byob' })
    try {
      yield { name: names[i]!, input: chunksOf(reader), size: result.size, lastModified: new Date(completedAt ?? createdAt) }
    } finally {
      // The client left while this entry was sent.
      await reader.cancel().catch(() => undefined)
    }
  }
}

async function* chunksOf(reader: ReadableStreamBYOBReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value } = await reader.readAtLeast(CHUNK_BYTES, new Uint8Array(CHUNK_BYTES))
    if (!value?.length) return
    yield value
  }
}

/** Stream of the announced length. At most one chunk is read ahead of the client. */
function bodyOf(files: Parameters<typeof makeZip>[0], length: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length)
  // If a result is gone, the answer ends early, so the client notices. If the client left, nobody needs the error.
  makeZip(files)
    .pipeTo(writable)
    .catch(() => undefined)
  return readable
}

/** JSON with one object per entry: its name in the ZIP, its receipt, and the signed receipt if the service signs. */
async function receiptsOf(c: AppContext, tasks: readonly CompletedTask[], names: readonly string[]): Promise<Uint8Array> {
  const secret = c.env.RECEIPT_KEYS
  const files = await Promise.all(
    tasks.map(async (task, i) => {
      const receipt = receiptOf(c, task)
      return { name: names[i], receipt, ...(secret === undefined ? {} : { jws: await signed(receipt, secret) }) }
    }),
  )
  return new TextEncoder().encode(`${JSON.stringify({ batch_id: tasks[0]?.batchId, files }, null, 2)}\n`)
}
