/** Options and results of the package, on every platform. */
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import type { CompressOptions as CoreOptions, Receipt } from '../../../src/core/library.ts'
import type { ExternalFilmCodec } from '../../../src/core/model/external-encoder.ts'

export interface CompressOptions extends Omit<CoreOptions, 'output' | 'sink'> {
  /** Format of the result: an id or extension, such as `webp`. `undefined`: the first output of the input's format, usually the same. */
  readonly format?: string
}

export interface Compressed {
  /** Compressed file. If the receipt says `unchanged`, these are the bytes of the input. */
  readonly bytes: Uint8Array
  /** File name of the result: the name of the input, with another extension if the format changed. */
  readonly name: string
  readonly receipt: Receipt
}

export interface UnpackOptions {
  /** File name, which tells Brotli from other data. `undefined`: the name of the path, `File` or `Source`, otherwise none. */
  readonly name?: string
  /** Largest acceptable size of the file in bytes; default: 1 GiB. */
  readonly maxBytes?: number
}

/** File that a result holds. */
export interface Unpacked {
  readonly bytes: Uint8Array
  /** File name: that of the result without its extension, or with `.jpg` for JPEG XL. */
  readonly name: string
}

export interface VerifyOptions {
  /** Public keys of the service that signed the receipt. `undefined`: the signature is not checked. */
  readonly keys?: PublicKeys
  /** External decoder for films that Whittle has no engine for. `undefined`: such films are not measured. */
  readonly native?: ExternalFilmCodec
}

/** Default of `maxBytes` in bytes. */
export const UNPACKED_BYTES_MAX = 1024 ** 3

/** The options as the library of the core takes them. */
export const coreOptions = ({ format, ...rest }: CompressOptions): CoreOptions => ({
  ...rest,
  ...(format === undefined ? {} : { output: format }),
})
