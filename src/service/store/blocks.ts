/**
 * What one attempt at a job reads of a bucket. A read is a request that takes some 44 ms, however little is asked for, so parsers
 * that hop through headers are served from what was read before; where they go on from where they were, more and more is read
 * at once.
 */
import { discard } from '../../../wasm/memories/discard.ts'
import { overBudget } from '../../core/model/error.ts'
import { repeatedly, SHORT_PAUSES_MS } from './retry.ts'

/**
 * Reads of objects that one attempt at a job may make. The Workers' `[limits] subrequests` is 100,000; past it the platform throws
 * what no file can be blamed for, and the task would fail. At 20 ms a read, one after the other, so many take the 15 minutes
 * that a queue gives a message; the lease, the result and its password have the rest.
 */
export const MOST_READS = 45_000

const MIB = 1024 * 1024
/** What may be kept in memory of all objects of a job. */
export const KEPT_BYTES = 2 * MIB
/** Reads begin and grow by units. */
const UNIT_BYTES = 256 * 1024
/** A read takes at most this share of what may be kept, so that an original and its result are read side by side. */
const LARGEST_SHARE = 4
/** An object of at most this share is read at once. */
const WHOLE_SHARE = 3
/** Places in an object that are read forwards by turns: its index, its pictures, its sound. */
const PLACES = 4

type Fetch = (offset: number, length: number) => Promise<Uint8Array>

/** A stretch of an object, read by one request. */
interface Run {
  readonly owner: Windows
  readonly start: number
  readonly end: number
  readonly bytes: Promise<Uint8Array>
}

/** One for all objects of a job, because a film has many parts. */
export class Blocks implements Disposable {
  /** The one that was used last is at the end. */
  readonly #runs = new Set<Run>()
  readonly #most: number
  #keptBytes = 0
  #failure: unknown
  #readsLeft: number

  /** @param mostBytes that stay in memory; an object of at most a third of that is read at once */
  constructor(mostBytes = KEPT_BYTES, mostReads = MOST_READS) {
    this.#most = mostBytes
    this.#readsLeft = mostReads
  }

  /** An object: another may be written under its key, and is opened again. */
  open(size: number, fetch: Fetch): Windows {
    return new Windows(this, size, fetch)
  }

  /** Before each request to the bucket. */
  countRead(): void {
    if (this.#readsLeft === 0) throw overBudget('more_reads_of_file_than_job_has')
    this.#readsLeft--
  }

  /**
   * Asks the bucket, again if need be. Codecs may take what is thrown for a fault of the file: it is remembered, too.
   * @throws PlatformError
   */
  async ask<Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> {
    try {
      return await repeatedly(what, SHORT_PAUSES_MS, request)
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /** @throws PlatformError when the bucket failed since the beginning: what a codec said of the file is worth nothing then */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The most that one read takes, bytes. */
  get largest(): number {
    return Math.max(UNIT_BYTES, Math.floor(this.#most / LARGEST_SHARE / UNIT_BYTES) * UNIT_BYTES)
  }

  /** Whether objects of that size are read at once: an original, its result and one more stay side by side. */
  fits(size: number): boolean {
    return size <= this.#most / WHOLE_SHARE
  }

  keep(run: Run): void {
    this.#runs.add(run)
    this.#keptBytes += run.end - run.start
    // Whoever waits for a run that goes was first in line, and has copied what it wanted.
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

  /** Frees them; they may be read again. */
  [Symbol.dispose](): void {
    for (const run of [...this.#runs]) this.#forget(run)
  }
}

/** One object, read by windows that grow while they are read one after the other. */
class Windows {
  readonly #blocks: Blocks
  readonly #size: number
  readonly #fetch: Fetch
  readonly #runs = new Set<Run>()
  /** Where reading may go on, and how much was read there last. The one that was used last is in front. */
  #places: { end: number; length: number }[] = []

  constructor(blocks: Blocks, size: number, fetch: Fetch) {
    this.#blocks = blocks
    this.#size = size
    this.#fetch = fetch
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (length > this.#blocks.largest && !this.#blocks.fits(this.#size)) {
      // Who reads so much at a time goes through the object by itself; the room is better spent there.
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

  /** What holds the byte at `offset`, read if need be. */
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

  /** Twice as much as before where reading goes on, one unit elsewhere. */
  #windowAt(start: number): number {
    const known = this.#places.find(({ end, length }) => start >= end && start <= end + length)
    const length = known ? Math.min(known.length * 2, this.#blocks.largest) : UNIT_BYTES
    this.#places = [{ end: start + length, length }, ...this.#places.filter((place) => place !== known)].slice(0, PLACES)
    return length
  }
}
