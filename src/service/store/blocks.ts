/**
 * Read cache for the blobs of one job attempt. A read request takes about 44 ms, however few bytes it returns.
 * Parsers that jump between headers are served from the cache. Sequential reads fetch larger and larger windows.
 */
import { discard } from '../../../wasm/memories/discard.ts'
import { overBudget } from '../../core/model/error.ts'
import { callWithRetries, SHORT_PAUSES_MS } from './retry.ts'

/**
 * Maximum number of R2 reads in one attempt. The Workers limit `subrequests` is 100,000; above it the platform throws an error that would
 * fail the task.
 * At 20 ms each, this many reads take 15 minutes, the limit of a queue message. The other subrequests serve the lease and the result.
 */
export const MAX_READS = 45_000

const MIB = 1024 * 1024
/** Default size of the cache in bytes, shared by all objects of a job. */
const DEFAULT_CACHE_BYTES = 2 * MIB
/** Size of the smallest read, in bytes. Larger reads are multiples of it. */
const UNIT_BYTES = 256 * 1024
/** Divisor for the largest read: 1/4 of the cache, so that an original and its result can be read side by side. */
const MAX_READ_SHARE = 4
/** Divisor for small objects: up to 1/3 of the cache, an object is read as a whole. */
const WHOLE_SHARE = 3
/** Number of sequential reading positions tracked for an object, for example its index, its pictures and its sound. */
const MAX_POSITIONS = 4

type Fetch = (offset: number, length: number) => Promise<Uint8Array>

/** A contiguous byte range of an object, read by one request. */
interface CachedRange {
  readonly owner: Windows
  readonly start: number
  readonly end: number
  readonly bytes: Promise<Uint8Array>
}

/** Cache shared by all objects of a job, because a film consists of many part objects. */
export class BlockCache implements Disposable {
  /** Cached ranges, least recently used first. */
  readonly #ranges = new Set<CachedRange>()
  readonly #capacity: number
  #keptBytes = 0
  #failure: unknown
  #readsLeft: number

  /** @param mostBytes size of the cache in bytes; objects of at most a third of it are read as a whole */
  constructor(mostBytes = DEFAULT_CACHE_BYTES, mostReads = MAX_READS) {
    this.#capacity = mostBytes
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
  async request<Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> {
    try {
      return await callWithRetries(what, SHORT_PAUSES_MS, request)
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /**
   * Checks that no request to the bucket has failed. After a failure, the codec's outcome is not reliable.
   * @throws PlatformError if a request has failed
   */
  assertNoFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Largest single read from the bucket, in bytes. */
  get maxReadBytes(): number {
    return Math.max(UNIT_BYTES, Math.floor(this.#capacity / MAX_READ_SHARE / UNIT_BYTES) * UNIT_BYTES)
  }

  /** True if objects of `size` bytes are read as a whole. An original, its result and one more then fit into the cache. */
  isReadWhole(size: number): boolean {
    return size <= this.#capacity / WHOLE_SHARE
  }

  add(range: CachedRange): void {
    this.#ranges.add(range)
    this.#keptBytes += range.end - range.start
    // Evict the oldest ranges. Callers that waited for such a range have copied its bytes already.
    for (const oldest of this.#ranges) {
      if (this.#keptBytes <= this.#capacity || oldest === range) break
      this.#evict(oldest)
    }
  }

  touch(range: CachedRange): void {
    this.#ranges.delete(range)
    this.#ranges.add(range)
  }

  evictAll(owner: Windows): void {
    for (const range of [...this.#ranges]) if (range.owner === owner) this.#evict(range)
  }

  #evict(range: CachedRange): void {
    range.bytes.then(discard, () => undefined)
    range.owner.forget(range)
    this.#ranges.delete(range)
    this.#keptBytes -= range.end - range.start
  }

  /** Frees all cached bytes. The objects can still be read afterwards. */
  [Symbol.dispose](): void {
    for (const range of [...this.#ranges]) this.#evict(range)
  }
}

/** Reader of one R2 object. The length of its reads doubles while they are sequential. */
class Windows {
  readonly #blocks: BlockCache
  readonly #size: number
  readonly #fetch: Fetch
  readonly #ranges = new Set<CachedRange>()
  /** Positions where sequential reads may continue, with the length of the last read there. Most recently used first. */
  #positions: { end: number; length: number }[] = []

  constructor(blocks: BlockCache, size: number, fetch: Fetch) {
    this.#blocks = blocks
    this.#size = size
    this.#fetch = fetch
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > this.#blocks.maxReadBytes && !this.#blocks.isReadWhole(this.#size)) {
      // Reads this large are sequential, so free the cached ranges of this object for other objects.
      this.#blocks.evictAll(this)
      return this.#fetch(offset, length)
    }
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length; ) {
      const range = this.#rangeAt(offset + done)
      const from = offset + done - range.start
      const piece = (await range.bytes).subarray(from, from + length - done)
      if (piece.length === 0) throw new Error(`A read returned no bytes at offset ${offset + done} of an object of ${this.#size} bytes.`)
      bytes.set(piece, done)
      done += piece.length
    }
    return bytes
  }

  forget(range: CachedRange): void {
    this.#ranges.delete(range)
  }

  /** Returns the cached range with the byte at `offset`. Starts a read if there is none. */
  #rangeAt(offset: number): CachedRange {
    let next = this.#size
    for (const range of this.#ranges) {
      if (range.start > offset) next = Math.min(next, range.start)
      else if (offset < range.end) {
        this.#blocks.touch(range)
        return range
      }
    }
    const whole = this.#blocks.isReadWhole(this.#size)
    const start = whole ? 0 : offset - (offset % UNIT_BYTES)
    const end = whole ? this.#size : Math.min(start + this.#nextLength(start), next)
    const range = { owner: this, start, end, bytes: this.#fetch(start, end - start) }
    this.#ranges.add(range)
    this.#blocks.add(range)
    return range
  }

  /** Returns the length of the next read at `start`: twice the last one if the reads are sequential, otherwise 256 KiB. */
  #nextLength(start: number): number {
    const sequential = this.#positions.find(({ end, length }) => start >= end && start <= end + length)
    const length = sequential ? Math.min(sequential.length * 2, this.#blocks.maxReadBytes) : UNIT_BYTES
    this.#positions = [{ end: start + length, length }, ...this.#positions.filter((position) => position !== sequential)].slice(
      0,
      MAX_POSITIONS,
    )
    return length
  }
}
