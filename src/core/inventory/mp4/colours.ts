/** Colour code points (ISO/IEC 23091-2, 8.1 to 8.3) with FFmpeg's names. */

/** Colours of a video track. A field is `undefined` if the file does not tell it. */
export interface Colours {
  readonly primaries?: number | undefined
  readonly transfer?: number | undefined
  readonly matrix?: number | undefined
  readonly fullRange?: boolean | undefined
}

const PRIMARIES: { readonly [code: number]: string } = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'film',
  9: 'bt2020',
  10: 'smpte428',
  11: 'smpte431',
  12: 'smpte432',
  22: 'ebu3213',
}
const TRANSFERS: { readonly [code: number]: string } = {
  1: 'bt709',
  4: 'bt470m',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'linear',
  9: 'log100',
  10: 'log316',
  11: 'iec61966-2-4',
  12: 'bt1361e',
  13: 'iec61966-2-1',
  14: 'bt2020-10',
  15: 'bt2020-12',
  16: 'smpte2084',
  17: 'smpte428',
  18: 'arib-std-b67',
}
const MATRICES: { readonly [code: number]: string } = {
  1: 'bt709',
  4: 'fcc',
  5: 'bt470bg',
  6: 'smpte170m',
  7: 'smpte240m',
  8: 'ycgco',
  9: 'bt2020nc',
  10: 'bt2020c',
  11: 'smpte2085',
  12: 'chroma-derived-nc',
  13: 'chroma-derived-c',
  14: 'ictcp',
}
/** Reserved, and "unspecified". */
const UNTOLD = [0, 2, 3]
const PQ = 16
const HLG = 18

/** True for the transfer functions of HDR: PQ and HLG (Rec. ITU-R BT.2100). */
export const isHdr = ({ transfer }: Colours): boolean => transfer === PQ || transfer === HLG

/** Combines two sources of colours. A field that `first` does not tell is taken from `second`. */
export function combined(first: Colours, second: Colours): Colours {
  const told = (code: number | undefined) => (code === undefined || UNTOLD.includes(code) ? undefined : code)
  return {
    primaries: told(first.primaries) ?? told(second.primaries),
    transfer: told(first.transfer) ?? told(second.transfer),
    matrix: told(first.matrix) ?? told(second.matrix),
    fullRange: first.fullRange ?? second.fullRange,
  }
}

/** Returns the colours as `field = value`. Pictures that are stored as RGB (matrix 0) have no such field. */
export function colourItems({ primaries, transfer, matrix, fullRange }: Colours): string[] {
  const named = (field: string, code: number | undefined, names: { readonly [code: number]: string }) =>
    code === undefined || UNTOLD.includes(code) ? [] : [`${field} = ${names[code] ?? code}`]
  return [
    ...named('color_primaries', primaries, PRIMARIES),
    ...named('color_transfer', transfer, TRANSFERS),
    ...named('color_space', matrix, MATRICES),
    ...(fullRange === undefined ? [] : [`color_range = ${fullRange ? 'pc' : 'tv'}`]),
  ]
}
