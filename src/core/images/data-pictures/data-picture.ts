/**
 * Pictures that are data: measurements, labels and tables that programs read, stored as a picture. A score for the eye says nothing
 * of them, so they stay exact. Figures: docs/decisions/data-pictures.md.
 */
import { type Message, message } from '../../i18n/message.ts'
import { DataStatistics, entropy, type PictureForm, quantile, type SampleRow } from './data-statistics.ts'
import { lookupTable } from './lookup-table.ts'

export interface DataPicture {
  /** Noun for the receipt. */
  readonly what: Message
  /** Readers take stored samples or palette indices for values: the result keeps colour type and bit depth. */
  readonly keepsForm: boolean
}

/** Strips of whole rows in `form`, from the top. */
export interface DataRows extends PictureForm {
  rows(): AsyncIterable<SampleRow>
}

/** Smaller pictures show too little to tell a label mask from an icon. */
const LEAST_PIXELS = 32 * 32

/** What kind of data the picture is; undefined for a picture for the eye. */
export async function dataPicture(picture: DataRows): Promise<DataPicture | undefined> {
  const { width, height, channels } = picture
  if (width * height < LEAST_PIXELS) return undefined
  const found = new DataStatistics(picture)
  const table = lookupTable(picture)
  let y = 0
  for await (const strip of picture.rows())
    for (let at = 0; at < strip.length; at += width * channels, y++) {
      const row = strip.subarray(at, at + width * channels)
      found.add(row, y)
      table?.add(row, y)
    }
  if (table?.matches()) return { what: message('colour_lookup_table'), keepsForm: false }
  return kindOf(found)
}

function kindOf(found: DataStatistics): DataPicture | undefined {
  const isGrey = found.form.channels < 3 || found.grey
  if (found.form.most > 255) return isGrey ? deepGrey(found) : deepColour(found)
  if (isLabels(found, isGrey)) return { what: message('label_mask_of_values', { values: found.colours.size }), keepsForm: isGrey }
  if (isGrey) return undefined
  if (isNormalMap(found)) return { what: message('normal_map'), keepsForm: false }
  return isCode(found) ? { what: message('coded_heights_or_depths'), keepsForm: false } : undefined
}

/** A photograph that is ready for a screen fills more than half of the 16-bit range; depths in millimetres and 12-bit sensors do not. */
const NARROW_RANGE = 32_768
/** Values at regular intervals: disparities times 256, twelve bits times 16. Fewer values than this show no regularity. */
const LEAST_REGULAR = 8
/** Values that eight bits can name: a flat picture of fewer is as smooth. */
const EIGHT_BITS = 256
/** Median of twice the distance from the mean of both neighbours, in units of 16: an 8-bit step and its double. */
const SMOOTH_RESIDUAL = (2 * 257) / 16

/** Sixteen bits of grey: a photograph only where it fills the range and its noise hides what the low byte says. */
function deepGrey(found: DataStatistics): DataPicture | undefined {
  const range = found.highest[0]! - found.lowest[0]!
  const values = found.values.reduce((sum, isThere) => sum + isThere, 0)
  const spread = { values: values.toLocaleString('en'), from: found.lowest[0]!, to: found.highest[0]! }
  const measured = (what: Message): DataPicture => ({ what, keepsForm: true })
  if (values < 2) return undefined
  if (range < NARROW_RANGE) return measured(message('measurements_16_bits', spread))
  const step = commonDivisor(found.values)
  if (step > 1 && values >= LEAST_REGULAR) return measured(message('measurements_multiples', { ...spread, step }))
  const isSmooth = values > EIGHT_BITS && quantile(found.residuals, 0.5) < SMOOTH_RESIDUAL
  return isSmooth ? measured(message('measurements_smooth', spread)) : undefined
}

/** The largest number that divides all of `values`; 1 where eight bits hold them, as multiples of 257. */
function commonDivisor(values: Uint8Array): number {
  let divisor = 0
  for (let value = 1; value < values.length && divisor !== 1; value++) {
    if (!values[value]) continue
    let rest = value
    while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  }
  return divisor % 257 === 0 ? 1 : divisor
}

/** Sixteen bits of colour: normals, or a channel that is no colour, such as the flag of a flow map. */
function deepColour(found: DataStatistics): DataPicture | undefined {
  // A flow near zero with a flag would pass for directions.
  const isFlag = [0, 1, 2].some((c) => found.highest[c]! < 256) && [0, 1, 2].some((c) => found.highest[c]! >= 16_384)
  if (isFlag) return { what: message('deep_values_with_flag'), keepsForm: true }
  return isNormalMap(found) ? { what: message('normal_map_of_16_bits'), keepsForm: true } : undefined
}

/** Labels: flat areas without antialiasing. */
const LABELS = { least: 3, most: 256, isolated: 0.1, pixelsPerChange: 10, step: 24 / 4, darkest: 64 }

/**
 * Few colours in large areas whose borders have no pixel of a colour between: anti-aliased drawings and text have one at most borders.
 * The colours are far apart, as smooth gradients are not, or so dark that they can only be numbers.
 */
function isLabels(found: DataStatistics, isGrey: boolean): boolean {
  const { colours, changes, isolated, pixels, opaque } = found
  // Translucent pictures of few colours are parts of user interfaces.
  if (!opaque) return false
  if (isGrey && found.highest[0]! > 0 && found.highest[0]! <= LABELS.darkest && colours.size <= LABELS.darkest) return isDarkMask(found)
  if (colours.size < LABELS.least || colours.size > LABELS.most) return false
  if (changes === 0 || pixels / changes < LABELS.pixelsPerChange || isolated > changes * LABELS.isolated) return false
  return quantile(found.changeSizes, 0.25) >= LABELS.step
}

/** Numbers of classes as grey values, which look black. */
const isDarkMask = ({ changes, isolated, pixels, opaque }: DataStatistics) =>
  opaque && changes > 0 && pixels / changes >= 3 && isolated <= changes * 0.3

/** Unit vectors as colours: nearly all are of length 1, and they point in different directions. */
const NORMALS = { share: 0.9, directions: 0.1, spread: 0.03, colours: 64, flat: { upright: 0.98, spread: 0.012 } }

function isNormalMap(found: DataStatistics): boolean {
  const { directions, unitLength, pixels, colours } = found
  if (found.grey || colours.size < NORMALS.colours || directions < pixels * NORMALS.directions) return false
  if (unitLength < directions * NORMALS.share) return false
  // Nearly all of a nearly flat surface points out of the picture.
  const isUpright = found.sums[2]! > directions * NORMALS.flat.upright
  const least = isUpright ? NORMALS.flat.spread : NORMALS.spread
  return found.spread(0) >= least && found.spread(1) >= least
}

/** Bytes of one number: the low one takes all values, the code changes little where the low one overflows. */
const CODE = { pairs: 0.05, near: 0.85, wraps: 0.01, nearWraps: 0.75, lowEntropy: 6.5, highEntropy: 5 }

function isCode(found: DataStatistics): boolean {
  return found.codes.some(
    ({ pairs, nearPairs, wraps, nearWraps, lows, highs }) =>
      pairs > found.pixels * CODE.pairs &&
      nearPairs > pairs * CODE.near &&
      wraps > pairs * CODE.wraps &&
      nearWraps > wraps * CODE.nearWraps &&
      entropy(lows) > CODE.lowEntropy &&
      entropy(highs) < CODE.highEntropy,
  )
}

/** For the receipt. */
export const exactDataStep = ({ what }: DataPicture): Message => message('data_kept_exact', { what })
export const lossyDataStep = ({ what }: DataPicture): Message => message('data_not_kept_exact', { what })
