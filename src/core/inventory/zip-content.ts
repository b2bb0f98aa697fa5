/** Content of the members of a ZIP archive, inflated by fflate and checked by size and CRC-32. */
import { inflateSync } from 'fflate'
import { crc32 } from '../bytes/crc32.ts'
import { message } from '../i18n/message.ts'
import { overBudget } from '../model/error.ts'
import { Digest, digestOf } from './digest.ts'
import { inflated } from './inflate.ts'
import { describedFields, viewOf, type ZipDirectory, type ZipMember } from './zip.ts'

const LOCAL_SIGNATURE = 0x04034b50
const LOCAL_BYTES = 30
const [STORED, DEFLATED] = [0, 8]
/** Members up to these sizes are inflated in one call, larger ones as a stream. */
const [MAX_WHOLE_STORED_BYTES, MAX_WHOLE_BYTES] = [1024 * 1024, 4 * 1024 * 1024]
/** Most bytes that are read of all members of an archive together. A part may be read twice. */
const MAX_TOTAL_BYTES = 4 * 1024 ** 3

/** Bytes at the start of a member that show its format. */
const START_BYTES = 16

/** `text`: length and digest. `start`: the first bytes. */
export interface MemberFacts {
  readonly text: string
  readonly start: Uint8Array
}

/** Reads the members of one archive. */
export class ZipContent {
  readonly directory: ZipDirectory
  #totalBytes = 0

  constructor(directory: ZipDirectory) {
    this.directory = directory
  }

  /** True if `content` can read a member: it is not encrypted, and stored or deflated. */
  isReadable({ isEncrypted, method }: ZipMember): boolean {
    return !isEncrypted && (method === STORED || method === DEFLATED)
  }

  /**
   * Yields the content of a readable member. A chunk is valid until the next one is requested.
   * @throws CodecError `malformed` if size or CRC-32 differ from the directory, `over_budget` if the archive holds too much
   */
  async *content(member: ZipMember): AsyncGenerator<Uint8Array> {
    const { view } = this.directory
    this.#totalBytes += member.bytes
    if (this.#totalBytes > MAX_TOTAL_BYTES) throw overBudget(message('bytes_inside_archive', { bytes: this.#totalBytes }))
    const { dataOffset } = await this.#localHeader(member)
    let [length, checksum] = [0, 0]
    for await (const chunk of this.#decoded(member, dataOffset)) {
      length += chunk.length
      checksum = crc32(chunk, checksum)
      yield chunk
    }
    if (length !== member.bytes || checksum !== member.crc32) throw view.malformed(member.headerOffset)
  }

  /** Reads a whole member. A member that cannot be read is described by its stored bytes. */
  async describe(member: ZipMember): Promise<MemberFacts> {
    const readable = this.isReadable(member)
    const { dataOffset } = await this.#localHeader(member)
    const chunks = readable ? this.content(member) : this.directory.view.chunks(dataOffset, member.storedBytes)
    const hash = new Digest()
    let start = new Uint8Array(0)
    for await (const chunk of chunks) {
      if (start.length === 0) start = chunk.slice(0, START_BYTES)
      hash.update(chunk)
    }
    const size = readable ? `${member.bytes}` : `${member.storedBytes} ${member.isEncrypted ? 'encrypted' : 'compressed'}`
    return { text: `${size} bytes #${hash.finish()}`, start }
  }

  /** Returns a text with the digests of both lists of extra fields. Empty: there are none. */
  async describeExtra(member: ZipMember): Promise<string> {
    const { extra } = await this.#localHeader(member)
    return [member.extra, extra]
      .map((fields) => (fields.length > 0 ? digestOf(fields) : ''))
      .join(' ')
      .trim()
  }

  async *#decoded({ method, storedBytes, bytes }: ZipMember, dataOffset: number): AsyncGenerator<Uint8Array> {
    const { view } = this.directory
    if (method === STORED) yield* view.chunks(dataOffset, storedBytes)
    else if (storedBytes <= MAX_WHOLE_STORED_BYTES && bytes <= MAX_WHOLE_BYTES) {
      yield this.#inflatedWhole(await view.bytes(dataOffset, storedBytes), bytes, dataOffset)
    } else yield* this.#inflatedStream(view.chunks(dataOffset, storedBytes), bytes, dataOffset)
  }

  #inflatedWhole(stored: Uint8Array, bytes: number, dataOffset: number): Uint8Array {
    try {
      // One more byte than expected shows content that is too long.
      return inflateSync(stored, { out: new Uint8Array(bytes + 1) })
    } catch {
      throw this.directory.view.malformed(dataOffset)
    }
  }

  async *#inflatedStream(stored: AsyncIterable<Uint8Array>, maxBytes: number, dataOffset: number): AsyncGenerator<Uint8Array> {
    let readError: unknown
    async function* read() {
      try {
        yield* stored
      } catch (error) {
        readError = error
        throw error
      }
    }
    try {
      yield* inflated(read(), { wrapper: 'raw', maxBytes })
    } catch (error) {
      throw error === readError ? error : this.directory.view.malformed(dataOffset)
    }
  }

  /** Reads a local header (APPNOTE.TXT 4.3.7). @throws CodecError `malformed` if there is none */
  async #localHeader({ headerOffset, storedBytes }: ZipMember): Promise<{ dataOffset: number; extra: Uint8Array }> {
    const { view } = this.directory
    const fixed = viewOf(await view.bytes(headerOffset, LOCAL_BYTES))
    if (fixed.getUint32(0, true) !== LOCAL_SIGNATURE) throw view.malformed(headerOffset)
    const [nameBytes, extraBytes] = [fixed.getUint16(26, true), fixed.getUint16(28, true)]
    const dataOffset = headerOffset + LOCAL_BYTES + nameBytes + extraBytes
    if (dataOffset + storedBytes > view.size) throw view.malformed(headerOffset)
    return { dataOffset, extra: describedFields((await view.bytes(dataOffset - extraBytes, extraBytes)).slice()) }
  }
}
