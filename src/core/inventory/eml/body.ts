/** Decodes bodies of mail parts piece by piece (RFC 2045, 6) and describes their content. */
import { bytesOfBase64 } from '../../bytes/base64.ts'
import { hex } from '../../bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { Digest } from '../digest.ts'

/** First bytes of a file, in hexadecimal digits. */
const HEAD_BYTES = 16
/** Most characters of base64 or quoted-printable text that are decoded at once. */
const BATCH_CHARACTERS = 64 * 1024

/**
 * Heads of files that attachments may be recompressed to smaller files of the same format: JPEG, PNG, GIF, BMP, TIFF, PDF, ZIP, RIFF, MP3,
 * MP4, compound files, gzip, XML, HDF5, NetCDF, LAS, Matroska.
 */
const COMPRESSIBLE =
  /^(?:ffd8|89504e47|47494638|424d|49492a00|4d4d002a|49492b00|4d4d002b|25504446|504b|52494646|494433|fff[2-9a-f]|.{8}66747970|d0cf11e0|1f8b|3c|efbbbf3c|89484446|434446|4c415346|1a45dfa3)/

export class BodyDigest {
  readonly #digest = new Digest()
  readonly #decode: (text: string, isLast: boolean) => { bytes: Uint8Array; rest: string }
  #head = ''
  #pending = ''
  #length = 0

  /** `encoding`: value of `Content-Transfer-Encoding` in lower case. */
  constructor(encoding: string) {
    this.#decode = encoding === 'base64' ? decodeBase64 : encoding === 'quoted-printable' ? decodeQuotedPrintable : plainBytes
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += BATCH_CHARACTERS) {
      this.#take(latin1Of(bytes.subarray(at, at + BATCH_CHARACTERS)), false)
    }
  }

  #take(text: string, isLast: boolean): void {
    const { bytes, rest } = this.#decode(this.#pending + text, isLast)
    this.#pending = rest
    if (this.#head.length < HEAD_BYTES * 2) this.#head += hex(bytes.subarray(0, HEAD_BYTES))
    this.#length += bytes.length
    this.#digest.update(bytes)
  }

  /**
   * Returns the digest of the content. `mayShrink`: of a file that may be recompressed, only the format is named, by its first bytes,
   * because its own codec and inventory have compared the content.
   */
  finish(mayShrink: boolean): string {
    this.#take('', true)
    if (mayShrink && COMPRESSIBLE.test(this.#head)) return `a file that begins with ${this.#head.slice(0, 4)}`
    return `${this.#length} bytes #${this.#digest.finish()}`
  }
}

/** Decodes complete groups of four characters. Other characters are ignored, as mail programs do. */
function decodeBase64(text: string, isLast: boolean): { bytes: Uint8Array; rest: string } {
  const letters = text.replace(/[^A-Za-z0-9+/]+/g, '')
  const complete = isLast ? letters.length : letters.length - (letters.length % 4)
  return { bytes: bytesOfBase64(letters.slice(0, complete)), rest: letters.slice(complete) }
}

/** Decodes up to the last line break, so that no escape is cut. The line break before a boundary belongs to the boundary. */
function decodeQuotedPrintable(text: string, isLast: boolean): { bytes: Uint8Array; rest: string } {
  const [now, rest] = isLast ? [text, ''] : splitBehindLine(text)
  const plain = now
    .replace(/=[ \t]*(?:\r?\n|$)/g, '')
    .replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return { bytes: latin1Bytes(isLast ? plain.replace(/\r?\n$/, '') : plain), rest }
}

/** Keeps the last line back, because its line break may belong to a boundary. */
function plainBytes(text: string, isLast: boolean): { bytes: Uint8Array; rest: string } {
  if (isLast) return { bytes: latin1Bytes(text.replace(/\r?\n$/, '')), rest: '' }
  const [now, rest] = splitBehindLine(text)
  return { bytes: latin1Bytes(now), rest }
}

/** Splits behind the last line break but one. A long text without line breaks is split near its end, but in no escape. */
function splitBehindLine(text: string): [string, string] {
  const last = text.lastIndexOf('\n', text.length - 2)
  if (last >= 0) return [text.slice(0, last + 1), text.slice(last + 1)]
  if (text.length <= BATCH_CHARACTERS) return ['', text]
  const end = text.length - 8
  const equals = text.lastIndexOf('=', end - 1)
  const cut = equals >= end - 3 ? equals : end
  return [text.slice(0, cut), text.slice(cut)]
}
