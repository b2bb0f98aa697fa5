/** Writes the bytes of a resumable upload into the bucket, one request at a time. */
import { createHash } from 'node:crypto'
import { discard } from '../../../wasm/memories/discard.ts'
import { Sha256 } from '../../core/bytes/sha256.ts'
import { uploadKeyOf } from './blob-names.ts'
import { PART_BYTES } from './blobs.ts'
import { type StoredPart, taskIdOfUpload, type UploadPiece, type UploadRecordApi, type UploadState } from './upload-records.ts'

/** Error: another request now has the write lock of the upload, or the upload was removed. */
export class UploadLockLost extends Error {
  override readonly name = 'TurnLost'
}

export interface Checksum {
  readonly algorithm: 'sha1' | 'sha256'
  /** Checksum in base64. */
  readonly digest: string
}

/** Error: the received chunk does not match the checksum in its header. */
export class ChecksumMismatch extends Error {
  override readonly name = 'ChecksumMismatch'
}

export interface ChunkRequest {
  readonly bucket: R2Bucket
  readonly record: UploadRecordApi
  readonly lock: number
  readonly upload: UploadState
  /** Maximum number of bytes in the request body. */
  readonly maxBytes: number
  readonly checksum?: Checksum
}

/** Chunk size, in bytes, for reading stored pieces. */
const READ_BYTES = 256 * 1024

/**
 * Writes the body of one request. Full parts go to the bucket and are committed at once; the rest is stored as a piece when the request
 * ends or breaks off.
 * If the request has a checksum, nothing is committed before the whole body is verified.
 */
export class ChunkWriter implements Disposable {
  readonly #request: ChunkRequest
  readonly #hash: Sha256
  readonly #digest: ReturnType<typeof createHash> | undefined
  /** Buffer of the next part. Stored pieces belong at its start and are fetched only when the part is sent. */
  readonly #buffer: Uint8Array
  /** Position in the part buffer where the stored pieces end. `#filled` is the end of the filled bytes. */
  #pieceEnd: number
  #filled: number
  #pieces: readonly UploadPiece[]
  #parts: StoredPart[] = []
  /** Offset in the upload up to which bytes are committed. */
  #committedOffset: number
  #offset: number

  constructor(request: ChunkRequest) {
    const { upload, checksum, maxBytes } = request
    this.#request = request
    this.#hash = Sha256.from(upload.hash)
    this.#digest = checksum && createHash(checksum.algorithm)
    this.#pieces = upload.pieces
    this.#pieceEnd = this.#filled = sizeOf(upload.pieces)
    this.#buffer = new Uint8Array(uploadBufferBytes(upload, maxBytes))
    this.#committedOffset = this.#offset = upload.offset
  }

  [Symbol.dispose](): void {
    discard(this.#buffer)
  }

  /** Number of received bytes of the whole upload. */
  get offset(): number {
    return this.#offset
  }

  /** Copies `chunk` into the buffer and sends full parts. The chunk must not exceed the size of the upload. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#digest?.update(chunk)
    for (let rest = chunk; rest.length > 0; ) {
      const copied = rest.subarray(0, PART_BYTES - this.#filled)
      this.#buffer.set(copied, this.#filled)
      this.#hash.update(copied)
      this.#filled += copied.length
      this.#offset += copied.length
      rest = rest.subarray(copied.length)
      if (this.#filled === PART_BYTES && this.#request.upload.multipartId !== undefined) await this.#sendPart()
    }
  }

  /**
   * Stores and commits the remaining bytes.
   * @param isCut the body broke off, so a checksum cannot match
   * @throws if the checksum is wrong or the write lock is lost
   */
  async end(isCut: boolean): Promise<void> {
    const { checksum, upload } = this.#request
    if (checksum && (isCut || this.#digest?.digest('base64') !== checksum.digest))
      throw new ChecksumMismatch('The checksum of the received bytes differs from the Upload-Checksum header.')
    if (this.#offset === upload.size) await this.#storeLast()
    else if (this.#filled > this.#pieceEnd) await this.#storePiece()
    if (this.#offset > this.#committedOffset) await this.#commit()
  }

  async #storeLast(): Promise<void> {
    const { bucket, upload } = this.#request
    if (upload.multipartId !== undefined) {
      if (this.#filled > 0) await this.#sendPart()
      return
    }
    await this.#fetchPieces()
    await bucket.put(uploadBlobKey(upload), this.#buffer.subarray(0, this.#filled))
    this.#pieces = []
  }

  async #sendPart(): Promise<void> {
    const { bucket, record, lock: turn, upload, checksum } = this.#request
    await this.#fetchPieces()
    const number = await record.nextPart(turn)
    if (number === undefined) throw new UploadLockLost('Another request has the write lock of this upload.')
    const multipart = bucket.resumeMultipartUpload(uploadBlobKey(upload), upload.multipartId!)
    this.#parts.push(await multipart.uploadPart(number, this.#buffer.subarray(0, this.#filled)))
    this.#pieces = []
    this.#pieceEnd = this.#filled = 0
    if (!checksum && this.#offset < upload.size) await this.#commit()
  }

  /**
   * Stores bytes that fill no part as a piece. Merges it with earlier pieces less than twice its size, so that each byte is copied only a
   * few times.
   */
  async #storePiece(): Promise<void> {
    const { bucket, upload, lock } = this.#request
    const pieces = [...this.#pieces]
    let from = this.#pieceEnd
    for (let last = pieces.at(-1); last && last.size < 2 * (this.#filled - from); last = pieces.at(-1)) {
      from -= last.size
      await readInto(bucket, last, this.#buffer, from)
      pieces.pop()
    }
    const key = `incoming/${upload.uploadId}/${this.#offset}-${lock}`
    await bucket.put(key, this.#buffer.subarray(from, this.#filled))
    this.#pieces = [...pieces, { key, size: this.#filled - from }]
  }

  async #fetchPieces(): Promise<void> {
    let at = 0
    for (const piece of this.#pieces) {
      await readInto(this.#request.bucket, piece, this.#buffer, at)
      at += piece.size
    }
  }

  async #commit(): Promise<void> {
    const { bucket, record, lock: turn, upload } = this.#request
    const progress = {
      from: this.#committedOffset,
      offset: this.#offset,
      hash: this.#hash.state(),
      parts: this.#parts,
      pieces: this.#pieces,
    }
    const counted = await record.commit(turn, progress)
    const [before, now] = [upload.pieces, this.#pieces]
    const obsoleteKeys = (counted ? before.filter((piece) => !now.includes(piece)) : now.filter((piece) => !before.includes(piece))).map(
      ({ key }) => key,
    )
    if (obsoleteKeys.length > 0) await bucket.delete(obsoleteKeys)
    if (!counted) throw new UploadLockLost('Another request has the write lock of this upload.')
    this.#committedOffset = this.#offset
    this.#parts = []
  }
}

/** Completes the multipart upload after the last byte. Idempotent: several requests may call it. */
export async function finishUpload(bucket: R2Bucket, record: UploadRecordApi, upload: UploadState): Promise<void> {
  if (upload.isWhole || upload.offset < upload.size) return
  const key = uploadBlobKey(upload)
  if (upload.multipartId !== undefined) {
    try {
      await bucket.resumeMultipartUpload(key, upload.multipartId).complete(await record.parts())
    } catch (error) {
      // Another request may have completed the multipart upload, or the response of the completion was lost.
      if ((await bucket.head(key))?.size !== upload.size) throw error
    }
  }
  await record.whole()
}

/** Blob key of the whole file. */
export const uploadBlobKey = ({ uploadId, uploadKey }: Pick<UploadState, 'uploadId' | 'uploadKey'>) =>
  uploadKeyOf({ taskId: taskIdOfUpload(uploadId), uploadKey })

const sizeOf = (pieces: readonly UploadPiece[]) => pieces.reduce((sum, { size }) => sum + size, 0)

/** Returns the buffer size in bytes for a request of at most `maxBytes` bytes. At most one part. */
export const uploadBufferBytes = ({ pieces }: Pick<UploadState, 'pieces'>, maxBytes: number) =>
  Math.min(PART_BYTES, sizeOf(pieces) + maxBytes)

async function readInto(bucket: R2Bucket, { key, size }: UploadPiece, buffer: Uint8Array, at: number): Promise<void> {
  const object = await bucket.get(key)
  if (!object || object.size !== size) throw new Error(`The piece ${key} (${size} bytes) is missing in the bucket or has another size.`)
  const reader = object.body.getReader({ mode: 'byob' })
  for (let done = 0; done < size; ) {
    const { value } = await reader.readAtLeast(Math.min(READ_BYTES, size - done), new Uint8Array(READ_BYTES))
    if (!value?.length) throw new Error(`The piece ${key} ended after ${done} of ${size} bytes.`)
    buffer.set(value, at + done)
    done += value.length
  }
}
