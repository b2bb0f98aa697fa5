/**
 * Finds the pictures of an RTF file in one pass over its bytes. Memory: the open groups and the places of the pictures. Errors of the
 * syntax matter only inside pictures, because all other bytes stay as they are.
 */
import type { Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { PictureDraft, type RtfPicture } from './picture.ts'
import { MAX_DEPTH, MAX_PICTURES, MAX_WORD_LETTERS } from './tuning.ts'

const [BACKSLASH, OPEN, CLOSE, SPACE, QUOTE, MINUS] = [0x5c, 0x7b, 0x7d, 0x20, 0x27, 0x2d]
/** Classes of bytes. */
const [PLAIN, SYNTAX, BLANK, HEX] = [0, 1, 2, 3]
const CLASS = new Uint8Array(256)
for (const byte of [BACKSLASH, OPEN, CLOSE]) CLASS[byte] = SYNTAX
for (const byte of [0x09, 0x0a, 0x0d, SPACE]) CLASS[byte] = BLANK
for (const letter of '0123456789abcdefABCDEF') CLASS[letter.charCodeAt(0)] = HEX

const isLetter = (byte: number) => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

/** Groups whose frame, and not the picture, decides how large a picture inside them is shown: shapes, backgrounds, bullets. */
const FRAMES: ReadonlySet<string> = new Set(['shp', 'shpinst', 'sp', 'sv', 'do', 'background', 'listpicture'])

interface Group {
  picture: PictureDraft | undefined
  /** Picture whose `\blipuid` is the group's text. */
  uidOf: PictureDraft | undefined
  isFrame: boolean
}

type State = 'text' | 'control' | 'word' | 'number' | 'code' | 'binary'

/** Returns the pictures of a file, in file order. @throws CodecError `unsupported_feature` if groups are nested too deeply */
export async function scanRtf(source: Source, signal: AbortSignal): Promise<readonly RtfPicture[]> {
  const scanner = new RtfScanner()
  for await (const chunk of source.stream()) {
    signal.throwIfAborted()
    scanner.push(chunk)
    if (scanner.hasEnded) break
  }
  return scanner.pictures
}

class RtfScanner {
  readonly pictures: RtfPicture[] = []
  /** True after the last `}` of the document. Further bytes belong to no group. */
  hasEnded = false
  readonly #groups: Group[] = []
  #state: State = 'text'
  /** Offset of the chunk in the file. */
  #base = 0
  #word = ''
  #wordAt = 0
  #isNegative = false
  #number = 0
  #numberAt = 0
  /** Bytes that remain of `\bin` or of `\'hh`. */
  #left = 0

  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length && !this.hasEnded) {
      switch (this.#state) {
        case 'text':
          at = this.#text(bytes, at)
          break
        case 'control':
          at = this.#control(bytes[at]!, at)
          break
        case 'word':
          at = this.#letters(bytes, at)
          break
        case 'number':
          at = this.#digits(bytes, at)
          break
        default: {
          const skipped = Math.min(this.#left, bytes.length - at)
          at += skipped
          this.#left -= skipped
          if (this.#left === 0) this.#state = 'text'
        }
      }
    }
    this.#base += bytes.length
  }

  /** Reads text up to the next syntax. Returns the index behind it. */
  #text(bytes: Uint8Array, from: number): number {
    const top = this.#groups.at(-1)
    let at = from
    if (top?.picture) at = this.#pictureText(top.picture, bytes, from)
    else if (top?.uidOf) at = this.#uidText(top.uidOf, bytes, from)
    else while (at < bytes.length && CLASS[bytes[at]!] !== SYNTAX) at++
    if (at === bytes.length) return at
    const byte = bytes[at]
    if (byte === OPEN) this.#open()
    else if (byte === CLOSE) this.#close()
    else this.#state = 'control'
    return at + 1
  }

  #pictureText(picture: PictureDraft, bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length; at++) {
      const type = CLASS[bytes[at]!]!
      if (type === HEX) picture.digit(this.#base + at)
      else if (type === SYNTAX) break
      else if (type === PLAIN) picture.spoil()
    }
    return at
  }

  #uidText(picture: PictureDraft, bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length; at++) {
      const type = CLASS[bytes[at]!]!
      if (type === HEX) picture.uidDigit(this.#base + at)
      else if (type === SYNTAX) break
      else if (type === PLAIN) picture.spoil()
    }
    return at
  }

  #open(): void {
    const top = this.#groups.at(-1)
    if (top?.picture?.hasData) top.picture.spoil()
    if (this.#groups.length >= MAX_DEPTH) throw unsupported('rtf_groups_too_deep')
    this.#groups.push({ picture: undefined, uidOf: undefined, isFrame: top?.isFrame ?? false })
  }

  #close(): void {
    const picture = this.#groups.pop()?.picture?.finish()
    if (picture && this.pictures.length < MAX_PICTURES) this.pictures.push(picture)
    this.hasEnded = this.#groups.length === 0
  }

  /** Reads the byte behind a backslash. */
  #control(byte: number, at: number): number {
    if (isLetter(byte)) {
      this.#state = 'word'
      this.#word = ''
      this.#wordAt = this.#base + at
      return at
    }
    const { picture } = this.#groups.at(-1) ?? {}
    if (picture?.hasData) picture.spoil()
    this.#state = byte === QUOTE ? 'code' : 'text'
    this.#left = byte === QUOTE ? 2 : 0
    return at + 1
  }

  #letters(bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length && isLetter(bytes[at]!); at++)
      if (this.#word.length <= MAX_WORD_LETTERS) this.#word += String.fromCharCode(bytes[at]!)
    if (at === bytes.length) return at
    this.#number = 0
    this.#isNegative = bytes[at] === MINUS
    if (this.#isNegative) at++
    this.#numberAt = this.#base + at
    this.#state = 'number'
    return at
  }

  #digits(bytes: Uint8Array, from: number): number {
    let at = from
    for (; at < bytes.length && isDigit(bytes[at]!); at++)
      this.#number = Math.min(Number.MAX_SAFE_INTEGER, this.#number * 10 + bytes[at]! - 0x30)
    if (at === bytes.length) return at
    const isDelimited = bytes[at] === SPACE
    const next = at + Number(isDelimited)
    this.#state = 'text'
    this.#endWord(this.#base + at, this.#base + next)
    return next
  }

  /** Takes a complete control word. `end`: offset behind its number; `next`: offset of what follows. */
  #endWord(end: number, next: number): void {
    const group = this.#groups.at(-1)
    const hasNumber = end > this.#numberAt
    const number = this.#isNegative ? -this.#number : this.#number
    if (this.#word === 'bin') {
      if (number > 0) this.#beginBinary(number, { start: this.#numberAt, end }, next)
      return
    }
    if (!group) return
    const sign = Number(this.#isNegative)
    if (group.picture) group.picture.word(this.#word, hasNumber ? number : undefined, { start: this.#wordAt, end: this.#numberAt - sign })
    else if (this.#word === 'pict') group.picture = new PictureDraft(group.isFrame)
    else if (this.#word === 'blipuid') group.uidOf = this.#groups.at(-2)?.picture
    else if (FRAMES.has(this.#word)) group.isFrame = true
  }

  #beginBinary(bytes: number, length: { start: number; end: number }, next: number): void {
    this.#groups.at(-1)?.picture?.binary(next, bytes, length)
    this.#state = 'binary'
    this.#left = bytes
  }
}
