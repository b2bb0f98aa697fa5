/** Reads what a track tells about its pictures: size, shape of pixels, rotation, colours and HDR metadata. */
import {
  ALPHA_MODE,
  COLOUR,
  DISPLAY_HEIGHT,
  DISPLAY_UNIT,
  DISPLAY_WIDTH,
  MASTERING,
  MASTERING_FIELDS,
  MATRIX_COEFFICIENTS,
  MAX_CLL,
  MAX_FALL,
  PIXEL_CROPS,
  PIXEL_HEIGHT,
  PIXEL_WIDTH,
  POSE_PITCH,
  POSE_ROLL,
  POSE_YAW,
  PRIMARIES,
  PROJECTION,
  PROJECTION_TYPE,
  RANGE,
  STEREO_MODE,
  TRANSFER,
} from '../../../../containers/ebml/track-elements.ts'
import { malformed } from '../../../../model/error.ts'
import { pixelShape } from '../../pixel-shape.ts'
import type { Child, Content } from '../content.ts'
import { childFields, type Fields, fractionIn, wholeIn } from './fields.ts'
import { notInMp4, type TrackName } from './refusals.ts'

/** Colours as code points (ISO/IEC 23091-2). 2: unspecified. */
export interface Colours {
  readonly primaries: number
  readonly transfer: number
  readonly matrix: number
  /** `undefined`: not told. */
  readonly isFullRange: boolean | undefined
}

export interface VideoFacts {
  readonly width: number
  readonly height: number
  /** Width and height of a pixel, without common divisor. */
  readonly pixelShape: readonly [number, number]
  /** Clockwise rotation for display in degrees: 0, 90, 180 or 270. */
  readonly turned: number
  /** `undefined`: the file does not tell. */
  readonly colours: Colours | undefined
  /** Mastering display: chromaticities of red, green, blue and white as x and y, largest and smallest luminance in cd/m². */
  readonly mastering: readonly number[] | undefined
  /** Largest and largest average light level in cd/m². */
  readonly lightLevel: readonly [number, number] | undefined
}

const UNKNOWN_UNIT = 4
const MAX_SIZE = 65_535

/** @throws CodecError (unsupported_feature) for stereo, transparency, cropping and projections */
export function videoFacts(content: Content, video: Child | undefined, of: TrackName): VideoFacts {
  if (!video) throw malformed('matroska', content.offset, 'mkv_no_picture_size')
  const fields = childFields(content, video)
  const whole = (id: number) => wholeIn(content, fields.get(id)) ?? 0
  const [width, height] = [whole(PIXEL_WIDTH), whole(PIXEL_HEIGHT)]
  if (!(width > 0 && height > 0 && width <= MAX_SIZE && height <= MAX_SIZE))
    throw malformed('matroska', content.offset, 'mkv_no_picture_size')
  if (whole(STEREO_MODE) !== 0) throw notInMp4(of, 'mkv_why_stereo')
  if (whole(ALPHA_MODE) !== 0) throw notInMp4(of, 'mkv_why_alpha')
  if (PIXEL_CROPS.some((id) => whole(id) !== 0)) throw notInMp4(of, 'mkv_why_crop')
  const [shownWidth, shownHeight] = whole(DISPLAY_UNIT) === UNKNOWN_UNIT ? [0, 0] : [whole(DISPLAY_WIDTH), whole(DISPLAY_HEIGHT)]
  const colour = fields.get(COLOUR)
  const inside: Fields = colour ? childFields(content, colour) : new Map()
  return {
    width,
    height,
    pixelShape: pixelShape((shownWidth || width) * height, (shownHeight || height) * width) ?? [1, 1],
    turned: turnedBy(content, fields.get(PROJECTION), of),
    colours: colour && coloursIn(content, inside),
    mastering: masteringIn(content, inside.get(MASTERING)),
    lightLevel: inside.has(MAX_CLL) || inside.has(MAX_FALL) ? lightLevelIn(content, inside) : undefined,
  }
}

/** Range (RFC 9559, 5.1.4.1.28.31): 0 not told, 1 broadcast, 2 full, 3 as the matrix says. */
const [BROADCAST, FULL] = [1, 2]
const UNSPECIFIED = 2

function coloursIn(content: Content, fields: Fields): Colours {
  const range = wholeIn(content, fields.get(RANGE))
  const code = (id: number) => wholeIn(content, fields.get(id)) ?? UNSPECIFIED
  const isFullRange = range === FULL ? true : range === BROADCAST ? false : undefined
  return { primaries: code(PRIMARIES), transfer: code(TRANSFER), matrix: code(MATRIX_COEFFICIENTS), isFullRange }
}

const lightLevelIn = (content: Content, fields: Fields): readonly [number, number] => [
  wholeIn(content, fields.get(MAX_CLL)) ?? 0,
  wholeIn(content, fields.get(MAX_FALL)) ?? 0,
]

function masteringIn(content: Content, mastering: Child | undefined): readonly number[] | undefined {
  if (!mastering) return undefined
  const fields = childFields(content, mastering)
  const values = MASTERING_FIELDS.map((id) => fractionIn(content, fields.get(id)) ?? Number.NaN)
  return values.every((value) => value >= 0) ? values : undefined
}

/** @throws CodecError (unsupported_feature) for anything but a rotation by quarter turns */
function turnedBy(content: Content, projection: Child | undefined, of: TrackName): number {
  if (!projection) return 0
  const fields = childFields(content, projection)
  const angle = (id: number) => fractionIn(content, fields.get(id)) ?? 0
  const isFlat = (wholeIn(content, fields.get(PROJECTION_TYPE)) ?? 0) === 0 && angle(POSE_YAW) === 0 && angle(POSE_PITCH) === 0
  const roll = angle(POSE_ROLL)
  if (!isFlat || roll % 90 !== 0) throw notInMp4(of, 'mkv_why_projection')
  // A positive roll turns counter-clockwise (RFC 9559, section 5.1.4.1.28.46).
  return ((-roll % 360) + 360) % 360 || 0
}
