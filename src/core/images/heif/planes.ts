/** Facts of coded pictures in their decoder configuration, and how their planes become colours. */
import type { PlanesView } from '../../../../wasm/yuv/yuv-picture.ts'
import type { Nclx } from '../../containers/heif/colours.ts'
import type { CodedTile, Coding, TiledPicture } from '../../containers/heif/tiled-picture.ts'
import { message } from '../../i18n/message.ts'
import { malformed, unsupported } from '../../model/error.ts'

/** Depth and chroma of a coded picture. */
export interface PlaneForm {
  readonly bits: number
  readonly hasChroma: boolean
  /** Samples of all planes per pixel: 1 (grey), 1.5 (4:2:0), 2 (4:2:2) or 3 (4:4:4). */
  readonly samplesPerPixel: number
}

const SAMPLES_BY_CHROMA_FORMAT = [1, 1.5, 2, 3] as const

/** Reads the form from the configuration (AV1-ISOBMFF, 2.3.3; ISO/IEC 14496-15, 8.3.3.1). */
export function formOf(coding: Coding, { config }: CodedTile): PlaneForm {
  if (coding === 'av01') {
    const flags = config[2]
    if (config.length < 4 || flags === undefined) throw malformed('heif', 0, message('heif_box_missing', { type: 'av1C' }))
    const isMono = (flags & 0x10) !== 0
    const chromaFormat = isMono ? 0 : (flags & 0x08) === 0 ? 3 : (flags & 0x04) === 0 ? 2 : 1
    const bits = (flags & 0x40) === 0 ? 8 : (flags & 0x20) === 0 ? 10 : 12
    return { bits, hasChroma: !isMono, samplesPerPixel: SAMPLES_BY_CHROMA_FORMAT[chromaFormat] }
  }
  if (config.length < 23) throw malformed('heif', 0, message('heif_box_missing', { type: 'hvcC' }))
  const chromaFormat = config[16]! & 3
  return {
    bits: 8 + (config[17]! & 7),
    hasChroma: chromaFormat !== 0,
    samplesPerPixel: SAMPLES_BY_CHROMA_FORMAT[chromaFormat as 0 | 1 | 2 | 3],
  }
}

/** Form of all tiles, which must agree. */
export function formOfTiles({ coding, tiles }: TiledPicture): PlaneForm {
  const [first, ...others] = tiles
  if (!first) throw malformed('heif', 0, 'heif_grid_damaged')
  const form = formOf(coding, first)
  for (const tile of others) {
    const { bits, hasChroma } = formOf(coding, tile)
    if (bits !== form.bits || hasChroma !== form.hasChroma) throw unsupported('heif_tiles_differ')
  }
  return form
}

/** Weights of red and blue in luma, by matrix coefficients (ITU-T H.273, table 4). */
const WEIGHTS: { readonly [matrix: number]: readonly [red: number, blue: number] } = {
  1: [0.2126, 0.0722],
  4: [0.3, 0.11],
  5: [0.299, 0.114],
  6: [0.299, 0.114],
  7: [0.212, 0.087],
  9: [0.2627, 0.0593],
}
const [IDENTITY, UNSPECIFIED, YCGCO, DERIVED] = [0, 2, 8, 12]
/** Matrix of unspecified colours: BT.601, as libavif, libheif and browsers assume. */
const USUAL_MATRIX = 6
/** Weights of primaries from which a matrix is derived (H.273, equations 39 to 46). */
const DERIVED_WEIGHTS: { readonly [primaries: number]: readonly [red: number, blue: number] } = {
  1: [0.2126, 0.0722],
  5: [0.222, 0.0713],
  6: [0.2124, 0.0866],
  9: [0.2627, 0.0593],
  12: [0.229, 0.0793],
}

type ColourView = Pick<PlanesView, 'colours' | 'redWeight' | 'blueWeight' | 'fullRange'>

/** Conversion of planes to colours. The nclx property has priority over the bitstream (ISO/IEC 23000-22, 7.3.6.4). */
export function colourViewOf({ matrix, fullRange, primaries }: Omit<Nclx, 'transfer'>): ColourView {
  if (matrix === IDENTITY) return { colours: 'identity', redWeight: 0, blueWeight: 0, fullRange }
  if (matrix === YCGCO) return { colours: 'ycgco', redWeight: 0, blueWeight: 0, fullRange }
  const known = matrix === UNSPECIFIED ? WEIGHTS[USUAL_MATRIX] : matrix === DERIVED ? DERIVED_WEIGHTS[primaries] : WEIGHTS[matrix]
  if (!known) throw unsupported(message('heif_matrix', { matrix }))
  return { colours: 'weighted', redWeight: known[0], blueWeight: known[1], fullRange }
}
