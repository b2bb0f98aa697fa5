/** Collects the characters that a document may show: those in its texts, and those that office programs generate. */
import { unescapeXml } from '../../containers/xml/scan.ts'

/** Elements that import content from other files when the document is opened or merged. */
const IMPORTED_CONTENT = /<\w+:(mailMerge|altChunk|subDoc)\b/
/** Number formats (ECMA-376 part 1, 17.18.59 and 20.1.10.61) whose characters are always kept. */
const NUMBERINGS =
  /^(decimal\w*|(upper|lower)(Roman|Letter)|ordinal|bullet|none|numberInDash|hex|chicago|arabic(Period|Paren\w*|Plain)|(alpha|roman)(Lc|Uc)\w*)$/
/** Attributes that select a number format: w:numFmt, w:pgNumType, a:buAutoNum. */
const NUMBERING = /<\w+:(?:numFmt\b[^>]*?\bval|pgNumType\b[^>]*?\bfmt|buAutoNum\b[^>]*?\btype)="([^"]*)"/g
/** Character code in w:sym (ECMA-376 part 1, 17.3.3.30). */
const SYMBOL = /\bchar="([0-9A-Fa-f]{4})"/g

/** Characters of generated dates, numbers and lists in East Asian languages. */
const EAST_ASIAN =
  '〇一二三四五六七八九十百千万萬億亿零壹贰叁肆伍陆柒捌玖拾佰仟壱弐参貳參肆陸年月日時时分秒点點星期周週曜火水木金土午前後后上下今明昨第回頁页章节節条條款项項' +
  '甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳未申酉戌亥元正初廿卅平成令和昭大民国國公' +
  '가나다라마바사아자차카타파하년월일요시분초오전후화수목금토제장절쪽'

const FIRST_IDEOGRAPHIC = 0x2e80
const [BLOCK, PRIVATE_FIRST, PRIVATE_LAST] = [0x80, 0xe000, 0xf8ff]

/**
 * Characters that a document may show, collected from its texts.
 * If one character of an alphabetic script occurs, its whole block of 128 counts. Upper and lower case and the composed and decomposed
 * forms of all characters count too.
 */
export class PossibleCharacters {
  readonly #codes = new Set<number>()

  /** Adds the characters of a text. Returns false if the shown characters cannot be determined. */
  add(text: string): boolean {
    if (IMPORTED_CONTENT.test(text)) return false
    for (const [, numbering] of text.matchAll(NUMBERING)) if (!NUMBERINGS.test(numbering!)) return false
    for (const [, code] of text.matchAll(SYMBOL)) this.#codes.add(Number.parseInt(code!, 16))
    const plain = unescapeXml(text)
    this.#add(plain)
    // Programs compose and decompose accents depending on the font.
    this.#add(plain.normalize('NFC'))
    this.#add(plain.normalize('NFD'))
    return true
  }

  finish(): Set<number> {
    for (const code of [...this.#codes]) {
      const character = String.fromCodePoint(code)
      this.#add(character.toUpperCase())
      this.#add(character.toLowerCase())
    }
    return withWholeScripts(this.#codes)
  }

  #add(text: string): void {
    for (const character of text) this.#codes.add(character.codePointAt(0)!)
  }
}

function withWholeScripts(seen: ReadonlySet<number>): Set<number> {
  const wide = new Set<number>()
  const range = (first: number, last: number) => {
    for (let code = first; code <= last; code++) wide.add(code)
  }
  // Latin, general punctuation and the euro sign; Latin in symbol fonts (0xf000–0xf0ff).
  range(0, 0xff)
  range(0x2000, 0x20cf)
  range(0xf000, 0xf0ff)
  let eastAsian = false
  let rightToLeft = false
  for (const code of seen) {
    const ideographic = (code >= FIRST_IDEOGRAPHIC && code < PRIVATE_FIRST) || code >= 0x20000 || (code > PRIVATE_LAST && code < 0xfb00)
    if (ideographic) wide.add(code)
    else range(code - (code % BLOCK), code - (code % BLOCK) + BLOCK - 1)
    eastAsian ||= ideographic
    rightToLeft ||= code >= 0x590 && code < 0x900
  }
  if (rightToLeft) range(0xfb00, 0xfeff)
  if (eastAsian) {
    // East Asian punctuation, kana, enclosed and full-width forms.
    for (const [first, last] of [
      [0x2460, 0x24ff],
      [0x3000, 0x30ff],
      [0x3200, 0x33ff],
      [0xfe30, 0xfe4f],
      [0xff00, 0xffef],
    ] as const)
      range(first, last)
    for (const character of EAST_ASIAN) wide.add(character.codePointAt(0)!)
  }
  return wide
}
