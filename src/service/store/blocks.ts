/**
 * Read cache for the blobs of one job attempt. A read request takes about 44 ms, however few bytes it returns.
 * Parsers that jump between headers are served from the cache. Sequential reads fetch larger and larger windows.
 */
import { discard } from '../../../wasm/memories/discard.ts'
import { overBudget } from '../../core/model/error.ts'
import { repeatedly, SHORT_PAUSES_MS } from './retry.ts'

/**
 * Maximum number of R2 reads in one attempt. The Workers limit `subrequests` is 100,000; above it the platform throws an error that would
 * fail the task.
 * At 20 ms each, this many reads take 15 minutes, the limit of a queue message. The other subrequests serve the lease and the result.
 */
export const MOST_READS = 45_000

const MIB = 1024 * 1024
/** Default size of the cache in bytes, shared by all objects of a job. */
export const KEPT_BYTES = 2 * MIB
/** Unit of read sizes, in bytes. Reads begin with one unit and grow by units. */
const UNIT_BYTES = 256 * 1024
/** One read takes at most 1/4 of the cache, so that an original and its result can be read side by side. */
const LARGEST_SHARE = 4
/** Objects of at most 1/3 of the cache are read as a whole. */
const WHOLE_SHARE = 3
/** Number of sequential reading positions tracked for an object, for example its index, its pictures and its sound. */
const PLACES = 4

type Fetch = (offset: number, length: number) => Promise<Uint8Array>

/** A contiguous byte range of an object, read by one request. */
interface Run {
  readonly owner: Windows
  readonly start: number
  readonly end: number
  readonly bytes: Promise<Uint8Array>
}

/** Cache shared by all objects of a job, because a film consists of many part objects. */
export class Blocks implements Disposable {
  /** Cached ranges, least recently used first. */
  readonly #runs = new Set<Run>()
  readonly #most: number
  #keptBytes = 0
  #failure: unknown
  #readsLeft: number

  /** @param mostBytes size of the cache in bytes; objects of at most a third of it are read as a whole */
  constructor(mostBytes = KEPT_BYTES, mostReads = MOST_READS) {
    this.#most = mostBytes
    this.#readsLeft = mostReads
  }

  /** Opens an object for reading. Open it again if another object was written under the same key. */
  open(size: number, fetch: Fetch): Windows {
    return new Windows(this, size, fetch)
  }

  /** Counts one request to the bucket. Call it before each request. Throws `over_budget` if the limit is reached. */
  countRead(): void {
    if (this.#readsLeft === 0) throw overBudget('more_reads_of_file_than_job_has')
    this.#readsLeft--
  }

  /**
   * Sends a request to the bucket and retries it. Remembers the error, because a codec may mistake it for a defect of the file.
   * @throws PlatformError if all retries failed
   */
  async ask<Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> {
    try {
      return await repeatedly(what, SHORT_PAUSES_MS, request)
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /**
   * Checks that no request to the bucket has failed. After a failure, the codec's outcome is not reliable.
   * @throws PlatformError if a request has failed
   */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Largest single read in bytes. */
  get largest(): number {
    return Math.max(UNIT_BYTES, Math.floor(this.#most / LARGEST_SHARE / UNIT_BYTES) * UNIT_BYTES)
  }

  /** True if objects of `size` bytes are read as a whole. An original, its result and one more then fit into the cache. */
  fits(size: number): boolean {
    return size <= this.#most / WHOLE_SHARE
  }

  keep(run: Run): void {
    this.#runs.add(run)
    this.#keptBytes += run.end - run.start
    // Evict the oldest ranges. Callers that waited for such a range have already copied their bytes.
    for (const oldest of this.#runs) {
      if (this.#keptBytes <= this.#most || oldest === run) break
      this.#forget(oldest)
    }
  }

  used(run: Run): void {
    this.#runs.delete(run)
    this.#runs.add(run)
  }

  forgetAll(owner: Windows): void {
    for (const run of [...this.#runs]) if (run.owner === owner) this.#forget(run)
  }

  #forget(run: Run): void {
    run.bytes.then(discard, () => undefined)
    run.owner.forget(run)
    this.#runs.delete(run)
    this.#keptBytes -= run.end - run.start
  }

  /** Frees the cached bytes. The objects can still be read. */
  [Symbol.dispose](): void {
    for (const run of [...this.#runs]) this.#forget(run)
  }
}

/** One object, read in windows that grow while reads are sequential. */
class Windows {
  readonly #blocks: Blocks
  readonly #size: number
  readonly #fetch: Fetch
  readonly #runs = new Set<Run>()
  /** Positions where sequential reads may continue, with the length of the last read there. Most recently used first. */
  #places: { end: number; length: number }[] = []

  constructor(blocks: Blocks, size: number, fetch: Fetch) {
    this.#blocks = blocks
    this.#size = size
    this.#fetch = fetch
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > this.#blocks.largest && !this.#blocks.fits(this.#size)) {
      // A caller with such large reads goes through the object sequentially, so free its cached ranges for other objects.
      this.#blocks.forgetAll(this)
      return this.#fetch(offset, length)
    }
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const run = this.#at(offset + done)
      const from = offset + done - run.start
      const piece = (await run.bytes).subarray(from, from + length - done)
      if (piece.length === 0) throw new Error(`an object of ${this.#size} bytes ended at byte ${offset + done}`)
      bytes.set(piece, done)
      done += piece.length
    }
    return bytes
  }

  forget(run: Run): void {
    this.#runs.delete(run)
  }

  /** Returns the range with the byte at `offset`. Starts a read if it is not cached. */
  #at(offset: number): Run {
    let next = this.#size
    for (const run of this.#runs) {
      if (run.start > offset) next = Math.min(next, run.start)
      else if (offset < run.end) {
        this.#blocks.used(run)
        return run
      }
    }
    const whole = this.#blocks.fits(this.#size)
    const start = whole ? 0 : offset - (offset % UNIT_BYTES)
    const end = whole ? this.#size : Math.min(start + this.#windowAt(start), next)
    const run = { owner: this, start, end, bytes: this.#fetch(start, end - start) }
    this.#runs.add(run)
    this.#blocks.keep(run)
    return run
  }

  /** Length of the next read at `start`: twice the last one if the read is sequential, otherwise one unit. */
  #windowAt(start: number): number {
    const known = this.#places.find(({ end, length }) => start >= end && start <= end + length)
    const length = known ? Math.min(known.length * 2, this.#blocks.largest) : UNIT_BYTES
    this.#places = [{ end: start + length, length }, ...this.#places.filter((place) => place !== known)].slice(0, PLACES)
    return length
  }
}
