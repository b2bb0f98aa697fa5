/** A picture of an RTF file while its group is read (RTF 1.9.1, "Pictures"). */

/** Bytes of the file from `start` up to `end`. */
export interface Range {
  readonly start: number
  readonly end: number
}

export type RtfPictureKind = 'jpg' | 'png'

export interface RtfPicture {
  readonly kind: RtfPictureKind
  /** Control word of the kind, without its backslash. */
  readonly keyword: Range
  /** The 32 digits of `\blipuid`. `undefined`: the picture has none. */
  readonly uid: Range | undefined
  /** Digits of `\bin`. `undefined`: the data is hexadecimal. */
  readonly length: Range | undefined
  /** Data of the picture: bytes, or hexadecimal digits with white space between them. */
  readonly data: Range
  /** Bytes of the picture. */
  readonly bytes: number
  /** Displayed size of the whole picture. `undefined`: unknown. */
  readonly shown: { readonly widthInches: number; readonly heightInches: number } | undefined
}

export const KEYWORDS: { readonly [Kind in RtfPictureKind]: string } = { jpg: 'jpegblip', png: 'pngblip' }

/** Control words of other kinds of pictures, whose data stays. */
const OTHER_KINDS: ReadonlySet<string> = new Set(['emfblip', 'macpict', 'pmmetafile', 'wmetafile', 'dibitmap', 'wbitmap'])
const TWIPS_PER_INCH = 1440
const UID_DIGITS = 32

/** Collects the facts of one `\pict` group. */
export class PictureDraft {
  /** False if the group has anything that a picture does not have. It then stays as it is. */
  #isPlain = true
  /** True if another frame than the picture's own decides how large it is shown. */
  readonly #isStretched: boolean
  readonly #numbers = new Map<string, number>()
  #kind: RtfPictureKind | undefined
  #keyword: Range | undefined
  #uid: { start: number; end: number; digits: number } | undefined
  #length: Range | undefined
  #data: { start: number; end: number } | undefined
  #digits = 0
  #bytes = 0

  constructor(isStretched: boolean) {
    this.#isStretched = isStretched
  }

  get hasData(): boolean {
    return this.#data !== undefined
  }

  /** Notes that the picture has something that only its writer understands. */
  spoil(): void {
    this.#isPlain = false
  }

  /** Takes a control word of the group. `range`: its letters. */
  word(name: string, parameter: number | undefined, range: Range): void {
    if (this.hasData) this.spoil()
    if (OTHER_KINDS.has(name)) this.spoil()
    else if (name === KEYWORDS.jpg || name === KEYWORDS.png) {
      if (this.#kind) this.spoil()
      this.#kind = name === KEYWORDS.jpg ? 'jpg' : 'png'
      this.#keyword = range
    } else if (parameter !== undefined && /^pic(?:w|h)goal$|^picscale[xy]$/.test(name)) this.#numbers.set(name, parameter)
  }

  /** Takes a hexadecimal digit of the data. */
  digit(offset: number): void {
    if (this.#length) this.spoil()
    if (this.#data) this.#data.end = offset + 1
    else this.#data = { start: offset, end: offset + 1 }
    this.#digits++
  }

  /** Takes the data of `\bin`. `length`: the digits of its parameter. */
  binary(start: number, bytes: number, length: Range): void {
    if (this.#data) this.spoil()
    this.#data = { start, end: start + bytes }
    this.#length = length
    this.#bytes = bytes
  }

  /** Takes a hexadecimal digit of `\blipuid`. */
  uidDigit(offset: number): void {
    const uid = this.#uid
    if (!uid) this.#uid = { start: offset, end: offset + 1, digits: 1 }
    else {
      if (uid.end !== offset) this.spoil()
      uid.end = offset + 1
      uid.digits++
    }
  }

  /** Returns the picture. `undefined`: a picture of another kind, or one that is not understood. */
  finish(): RtfPicture | undefined {
    const uid = this.#uid
    if (!this.#isPlain || !this.#kind || !this.#keyword || !this.#data || (uid && uid.digits !== UID_DIGITS)) return undefined
    if (!this.#length && this.#digits % 2 !== 0) return undefined
    return {
      kind: this.#kind,
      keyword: this.#keyword,
      uid: uid && { start: uid.start, end: uid.end },
      length: this.#length,
      data: this.#data,
      bytes: this.#length ? this.#bytes : this.#digits / 2,
      shown: this.#shown(),
    }
  }

  /** Crops do not matter: `\picwgoal` and `\pichgoal` are the size before the crop. */
  #shown(): RtfPicture['shown'] {
    if (this.#isStretched) return undefined
    const inches = (goal: string, scale: string) =>
      ((this.#numbers.get(goal) ?? 0) / TWIPS_PER_INCH) * ((this.#numbers.get(scale) ?? 100) / 100)
    const [widthInches, heightInches] = [inches('picwgoal', 'picscalex'), inches('pichgoal', 'picscaley')]
    return widthInches > 0 && heightInches > 0 ? { widthInches, heightInches } : undefined
  }
}
