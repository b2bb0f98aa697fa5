/** Fields of a movie index: matrix, language, list of chapters. */
import { concat } from '../../bytes/concat.ts'
import type { Chapter } from '../sound-tags.ts'
import { fullBox, words, words64 } from './box.ts'

/** Matrix of a clockwise rotation in degrees (ISO/IEC 14496-12, 6.2.2), which keeps pictures of `width` × `height` at the origin. */
export function matrixOf(turned: number, width: number, height: number): Uint8Array {
  const one = 0x10000
  const [a, b, c, d] = MATRICES[turned] ?? MATRICES[0]!
  const [x, y] = [a! < 0 ? width : c! < 0 ? height : 0, d! < 0 ? height : b! < 0 ? width : 0]
  return words(a! * one, b! * one, 0, c! * one, d! * one, 0, x * one, y * one, 0x40000000)
}

const MATRICES: { readonly [degrees: number]: readonly number[] | undefined } = {
  0: [1, 0, 0, 1],
  90: [0, 1, -1, 0],
  180: [-1, 0, 0, -1],
  270: [0, -1, 1, 0],
}

/** Language code of `mdhd`: three letters of five bits each (ISO/IEC 14496-12, 8.4.2). Anything else becomes `und`. */
export function languageCode(language = 'und'): number {
  const letters = /^[a-z]{3}$/.test(language) ? language : 'und'
  return [...letters].reduce((code, letter) => code * 32 + letter.charCodeAt(0) - 0x60, 0)
}

/** `chpl` box (Nero), for `MAX_CHAPTERS` at most: time in units of 100 ns and title of each chapter. */
export function chapterList(chapters: readonly Chapter[]): Uint8Array {
  const utf8 = new TextEncoder()
  const rows = chapters.map(({ seconds, title }) => {
    const text = utf8.encode(title)
    return concat([words64(Math.round(seconds * 1e7)), Uint8Array.of(text.length), text])
  })
  return fullBox('chpl', 0x1000000, words(0), Uint8Array.of(chapters.length), ...rows)
}
