/** Small RTF files with pictures (RTF 1.9.1, "Pictures"). */
import { concat } from '../../src/core/bytes/concat.ts'
import { hex } from '../../src/core/bytes/hex.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { md4 } from '../../src/core/bytes/md4.ts'

export interface RtfFilePicture {
  readonly keyword: string
  readonly bytes: Uint8Array
  /** Size in twips. Default: unknown. */
  readonly goal?: readonly [width: number, height: number]
  /** True: the data follows `\bin`. Default: hexadecimal digits in lines. */
  readonly binary?: boolean
  /** Text around the group of the picture. Default: none. */
  readonly around?: readonly [before: string, after: string]
  /** Text between the control words and the data. Default: an identifier. */
  readonly more?: string
}

export const hexLines = (bytes: Uint8Array, perLine = 64): string =>
  hex(bytes).replace(new RegExp(`(?:[0-9a-f]{2}){${perLine}}(?=.)`, 'g'), '$&\r\n')

function groupOf({ keyword, bytes, goal, binary, around = ['', ''], more }: RtfFilePicture): Uint8Array {
  const size = goal ? `\\picwgoal${goal[0]}\\pichgoal${goal[1]}` : ''
  const head = `${around[0]}{\\pict${size}\\picscalex100\\${keyword}${more ?? `{\\*\\blipuid ${hex(md4(bytes))}}`}`
  const data = binary ? concat([latin1Bytes(`\\bin${bytes.length} `), bytes]) : latin1Bytes(`\r\n${hexLines(bytes)}`)
  return concat([latin1Bytes(head), data, latin1Bytes(`}${around[1]}`)])
}

/** Returns a document with a text, a field, a bookmark and pictures. */
export function rtfFile(pictures: readonly RtfFilePicture[], more = ''): Uint8Array {
  const head =
    '{\\rtf1\\ansi\\deff0{\\fonttbl{\\f0 Times New Roman;}{\\f1 Arial;}}{\\info{\\title A letter}{\\author Ada}}\\pard Dear reader,\\par ' +
    'see {\\field{\\*\\fldinst HYPERLINK "https://example.org"}{\\fldrslt the page}} and {\\*\\bkmkstart here}this{\\*\\bkmkend here}.\\par '
  return concat([latin1Bytes(head), ...pictures.map(groupOf), latin1Bytes(`\\par With braces \\{\\} and \\'e9.${more}\\par}`)])
}
