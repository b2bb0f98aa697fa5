/** HDF5 files written again, and compared: the engine with its memory and its patience bounded. */
import { canWait, compareHdf5, type Ended, rewriteHdf5 } from '../../../wasm/hdf5/hdf5.ts'
import { breathe } from '../../bytes/breathe.ts'
import { PagedFile } from './paged-file.ts'
import { rangeCache } from './range-cache.ts'

interface Readable {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface Hdf5Options {
  /** Bytes of heap and Wasm memory together. */
  readonly memoryBudget: number
  readonly signal: AbortSignal
  progress(share: number): void
}

export type Rewritten =
  | { kind: 'done'; file: PagedFile }
  | { kind: 'no_gain' }
  | { kind: 'malformed' | 'unsupported' | 'over_budget'; reason: string }

/** The engine's own memory, blocks of the input, and what else is on the heap. */
const OVERHEAD_BYTES = 32 << 20
/** libdeflate 12 does about 2 MB a second of CPU time, 9 about 20. */
const BEST_LEVEL_UP_TO_BYTES = 120 << 20
const BREATH_MS = 50

/** Writes `source` again. The result is held in memory, as HDF5 writes in no order. */
export async function rewrite(source: Readable, options: Hdf5Options): Promise<Rewritten> {
  const room = options.memoryBudget - OVERHEAD_BYTES - (canWait ? 0 : source.size)
  if (room <= 0) return { kind: 'over_budget', reason: `a file of ${source.size} bytes` }
  const output = new PagedFile(Math.min(room, source.size + (1 << 20)))
  const host = { input: await rangeCache(source, !canWait), output, tick: ticker(options, 0, 0.7) }
  const ended = await rewriteHdf5(host, source.size <= BEST_LEVEL_UP_TO_BYTES ? 12 : 9)
  if (output.full) return source.size > room ? { kind: 'over_budget', reason: `more than ${room} bytes of result` } : { kind: 'no_gain' }
  if (ended.kind === 'done') return { kind: 'done', file: output }
  return { kind: ended.kind === 'different' ? 'unsupported' : ended.kind, reason: ended.reason }
}

/** Where the two files differ, or undefined. */
export async function difference(original: Readable, result: Readable, options: Hdf5Options): Promise<string | undefined> {
  const stored = await rangeCache(result, !canWait)
  const output = { size: stored.size, read: stored.read, write: () => false, resize: () => undefined }
  const ended: Ended = await compareHdf5({ input: await rangeCache(original, !canWait), output, tick: ticker(options, 0.7, 0.3) })
  return ended.kind === 'done' ? undefined : `${ended.kind}: ${ended.reason}`
}

function ticker(options: Hdf5Options, start: number, share: number): (done: number | undefined) => void | Promise<void> {
  let last = performance.now()
  return (done) => {
    options.signal.throwIfAborted()
    if (done !== undefined) options.progress(start + share * Math.min(1, done))
    const now = performance.now()
    if (!canWait || now - last < BREATH_MS) return undefined
    last = now
    return breathe()
  }
}
