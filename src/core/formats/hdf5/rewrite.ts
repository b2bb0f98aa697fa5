/** Rewrites and compares HDF5 files with the WebAssembly engine, within a memory budget and with pauses for other jobs. */

import { compareHdf5, type Hdf5Outcome, hasJspi, type RangeFile, rewriteHdf5 } from '../../../../wasm/hdf5/hdf5.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { LevelChoice } from '../../bytes/level-choice.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { Effort } from '../../catalog/effort.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Sink } from '../../model/codec.ts'
import { PagedFile } from './paged-file.ts'
import { rangeCache } from './range-cache.ts'
import { ReadCoverage } from './reached.ts'
import { BEST_LEVEL_UP_TO_BYTES, OVERHEAD_BYTES, TICK_BYTES, YIELD_BYTES } from './tuning.ts'

interface Readable {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface Hdf5Options {
  /** Budget in bytes for JavaScript heap and Wasm memory together. */
  readonly memoryBudget: number
  /** How long the search for a small result may take. Default: balanced. */
  readonly effort?: Effort | undefined
  /** Callback with the bytes of memory that the rewrite used. */
  estimated?(bytes: number): void
  readonly signal: AbortSignal
  progress(share: number): void
}

export type RewriteResult = { kind: 'done' } | { kind: 'no_gain' } | { kind: 'malformed' | 'unsupported' | 'over_budget'; reason: Message }

const WRITE_ACCESS = 1
const SWMR_WRITE = 4
/** Newest superblock version of HDF5 1.10 to 2.0 (format specification 4.0, II.A). */
const NEWEST_SUPERBLOCK = 3

/**
 * Rewrites `source`. Data that the engine can still change is kept in memory; without JSPI that is the whole result.
 * Throws the sink's errors.
 */
export async function rewrite(source: Readable, sink: Sink, options: Hdf5Options): Promise<RewriteResult> {
  const budget = options.memoryBudget - OVERHEAD_BYTES - (hasJspi ? 0 : source.size)
  if (budget <= 0) return { kind: 'over_budget', reason: message('file_of_bytes', { fileSize: source.size }) }
  const refusal = await whyNot(source)
  if (refusal !== undefined) return { kind: 'unsupported', reason: refusal }
  const output = new PagedFile(source.size + (1 << 20), budget)
  const input = new CountedFile(await rangeCache(source, !hasJspi))
  const isBest = options.effort === 'best'
  let choice = new LevelChoice(undefined, isBest)
  const levels = {
    beginDataset(share: number | undefined) {
      choice = new LevelChoice(share, isBest)
    },
    levelFor: (bytes: number, level: number | undefined, size: number) =>
      level === undefined ? choice.first() : choice.next(level, bytes, size),
  }
  const host = { ...levels, input, output, tick: ticker(options, input, { start: 0, share: 0.7 }, () => output.spill(sink)) }
  const level = source.size <= BEST_LEVEL_UP_TO_BYTES ? 12 : 9
  const ended = await rewriteHdf5(host, level, hasJspi && source.size > budget / 2)
  options.estimated?.(output.peakBytes + options.memoryBudget - budget)
  // If memory ran out, chunks stay uncompressed and can exceed the size limit too, so this is checked first.
  if (ended.kind === 'over_budget') return { kind: ended.kind, reason: message('engine_reports', { problem: ended.reason }) }
  if (output.isFull) return { kind: 'no_gain' }
  if (output.isStuck) return { kind: 'over_budget', reason: message('result_in_no_order', { bytes: budget }) }
  if (ended.kind !== 'done')
    return { kind: ended.kind === 'different' ? 'unsupported' : ended.kind, reason: message('engine_reports', { problem: ended.reason }) }
  if (await input.reached.hasUnreadContent(source)) return { kind: 'malformed', reason: message('much_of_file_unreached') }
  await output.finish(sink)
  return { kind: 'done' }
}

/** Reason in the superblock why a file cannot be read alone or at present. `undefined`: none. */
async function whyNot(source: Readable): Promise<Message | undefined> {
  // The superblock is at offset 0, 512, 1024, 2048 and so on (format specification, II.A).
  for (let at = 0; at + 64 <= source.size; at = at === 0 ? 512 : at * 2) {
    const start = await source.read(at, 64)
    if (start[0] !== 0x89 || latin1Of(start.subarray(1, 8)) !== 'HDF\r\n\x1a\n') continue
    const version = start[8]!
    if (version > NEWEST_SUPERBLOCK) return message('superblock_of_version', { version })
    // File consistency flags (II.A, version 3): readers reject a file that is open for writing.
    if (version >= 3 && (start[11]! & (WRITE_ACCESS | SWMR_WRITE)) !== 0) return message('file_marked_as_open_for_writing')
    // Driver information is in a block of its own, or in a message of the superblock extension (II.B, IV.A.2.u).
    const driverAt =
      at + Number(new DataView(start.buffer, start.byteOffset).getBigUint64(version === 0 ? 48 : version === 1 ? 52 : 20, true))
    if (driverAt >= source.size) return undefined
    const driver = latin1Of(await source.read(driverAt, Math.min(256, source.size - driverAt)))
    return /NCSA(fami|mult)/.test(driver) ? message('one_of_several_files') : undefined
  }
  return undefined
}

/** Describes where the two files differ. `undefined`: no difference. */
export async function hdf5Difference(original: Readable, result: Readable, options: Hdf5Options): Promise<string | undefined> {
  const stored = await rangeCache(result, !hasJspi)
  const output = { size: stored.size, read: stored.read, write: () => false, resize: () => undefined }
  const input = new CountedFile(await rangeCache(original, !hasJspi))
  const ended: Hdf5Outcome = await compareHdf5({ input, output, tick: ticker(options, input, { start: 0.7, share: 0.3 }) })
  return ended.kind === 'done' ? undefined : `${ended.kind}: ${ended.reason}`
}

/** Input file that counts the bytes read and records their positions. */
class CountedFile implements RangeFile {
  readonly #file: RangeFile
  readonly reached: ReadCoverage
  bytesRead = 0

  constructor(file: RangeFile) {
    this.#file = file
    this.reached = new ReadCoverage(file.size)
  }

  get size(): number {
    return this.#file.size
  }

  read(offset: number, length: number): Uint8Array | Promise<Uint8Array> {
    this.bytesRead += length
    this.reached.record(offset, Math.min(length, this.size - offset))
    return this.#file.read(offset, length)
  }
}

function ticker(
  options: Hdf5Options,
  input: CountedFile,
  { start, share }: { start: number; share: number },
  spill?: () => Promise<void>,
): (done: number | undefined) => void | Promise<void> {
  const breath = new YieldBudget(YIELD_BYTES, options.signal)
  return (done) => {
    options.signal.throwIfAborted()
    if (done !== undefined) options.progress(start + share * Math.min(1, done))
    if (!hasJspi) return undefined
    const rest = breath.after(TICK_BYTES + input.bytesRead)
    input.bytesRead = 0
    return spill ? spill().then(() => rest) : rest
  }
}
