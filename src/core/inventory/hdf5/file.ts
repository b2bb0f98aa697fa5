import { YieldBudget } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { CachedRanges } from '../cached-ranges.ts'
import { partOf, type Ranges } from '../ranges.ts'
import { metadataChecksum } from './checksum.ts'
import { Cursor, type FieldSizes } from './cursor.ts'

/** Most bytes of structures and values that are read, because hostile files let many objects refer to the same ones. */
const MAX_READ_BYTES = 2 ** 30
/** Bytes between two pauses for other jobs, about 0.1 seconds of work. */
const YIELD_BYTES = 4 * 1024 * 1024
/** Bytes that each structure counts in addition to its own. */
const STRUCTURE_BYTES = 256
const CHECKSUM_BYTES = 4
const SIGNATURE_BYTES = 4

/** An HDF5 file. Addresses are relative to its base address, the place of the superblock. */
export class Hdf5File {
  readonly sizes: FieldSizes
  readonly #ranges: CachedRanges
  readonly #base: number
  readonly #pauses: YieldBudget
  #readBytes = 0

  constructor(ranges: CachedRanges, base: number, sizes: FieldSizes, signal: AbortSignal) {
    this.#ranges = ranges
    this.#base = base
    this.sizes = sizes
    this.#pauses = new YieldBudget(YIELD_BYTES, signal)
  }

  /** Counts work, and pauses for other jobs from time to time. @throws CodecError `over_budget` if there is too much */
  spend(bytes: number): Promise<void> | undefined {
    this.#readBytes += bytes
    if (this.#readBytes > MAX_READ_BYTES) throw overBudget(message('inventory_too_long', { bytes: MAX_READ_BYTES }))
    return this.#pauses.after(bytes)
  }

  /** Returns the error for a structure at `address` that cannot be read. */
  malformed(address: number | undefined): Error {
    return this.#ranges.malformed(this.#base + (address ?? 0))
  }

  async bytes(address: number | undefined, length: number): Promise<Uint8Array> {
    if (address === undefined) throw this.malformed(address)
    const pause = this.spend(length + STRUCTURE_BYTES)
    if (pause) await pause
    return await this.#ranges.bytes(this.#base + address, length)
  }

  async cursor(address: number | undefined, length: number): Promise<Cursor> {
    return new Cursor(await this.bytes(address, length), this.sizes)
  }

  /** Returns a cursor after the signature of a structure. */
  async signed(address: number | undefined, length: number, signature: string): Promise<Cursor> {
    const cursor = await this.cursor(address, length)
    for (let i = 0; i < SIGNATURE_BYTES; i++) if (cursor.u8() !== signature.charCodeAt(i)) throw this.malformed(address)
    return cursor
  }

  /** Returns a cursor after the signature of a structure whose last four bytes are its checksum, without these. */
  async checked(address: number | undefined, length: number, signature: string): Promise<Cursor> {
    const cursor = await this.signed(address, length, signature)
    const end = length - CHECKSUM_BYTES
    if (end < SIGNATURE_BYTES || new Cursor(cursor.bytes, this.sizes, end).u32() !== metadataChecksum(cursor.bytes.subarray(0, end)))
      throw this.malformed(address)
    return new Cursor(cursor.bytes.subarray(0, end), this.sizes, SIGNATURE_BYTES)
  }

  /** Returns the bytes from `address` on, at most `length` and at most to the end of the file. */
  async bytesUpTo(address: number, length: number): Promise<Uint8Array> {
    return await this.bytes(address, Math.max(0, Math.min(length, this.#ranges.size - this.#base - address)))
  }

  /** Returns a part of the file as ranges of its own. @throws CodecError (malformed) if it exceeds the file */
  part(address: number | undefined, length: number): Ranges {
    if (address === undefined || this.#base + address + length > this.#ranges.size) throw this.malformed(address)
    return partOf(this.#ranges, this.#base + address, length)
  }
}
