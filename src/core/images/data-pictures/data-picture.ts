/**
 * Detects pictures that are data: measurements, labels and tables that programs read. Perceptual scores do not apply to them, so they stay
 * lossless. Source of the limits: docs/decisions/data-pictures.md.
 */
import { type Message, message } from '../../i18n/message.ts'
import { DataStatistics, entropy, type PictureForm, quantile, type SampleRow } from './data-statistics.ts'
import { lookupTable } from './lookup-table.ts'
import { CODE, EIGHT_BITS, LABELS, LEAST_PIXELS, LEAST_REGULAR, NARROW_RANGE, NORMALS, SMOOTH_RESIDUAL } from './tuning.ts'

export interface DataPicture {
  /** Name of the kind of data, such as "normal map", for the receipt. */
  readonly what: Message
  /** True if readers use stored samples or palette indices as values. The result then keeps colour type and bit depth. */
  readonly keepsForm: boolean
}

/** Samples of a picture as strips of whole rows from the top. */
export interface DataRows extends PictureForm {
  rows(): AsyncIterable<SampleRow>
}

/** Kind of data of the picture. `undefined`: an ordinary picture. */
export async function detectDataPicture(picture: DataRows): Promise<DataPicture | undefined> {
  const { width, height, channels } = picture
  if (width * height < LEAST_PIXELS) return undefined
  const statistics = new DataStatistics(picture)
  const table = lookupTable(picture)
  let y = 0
  for await (const strip of picture.rows())
    for (let at = 0; at < strip.length; at += width * channels, y++) {
      const row = strip.subarray(at, at + width * channels)
      statistics.add(row, y)
      table?.add(row, y)
    }
  if (table?.matches()) return { what: message('colour_lookup_table'), keepsForm: false }
  return kindOf(statistics)
}

function kindOf(statistics: DataStatistics): DataPicture | undefined {
  const isGrey = statistics.form.channels < 3 || statistics.grey
  if (statistics.form.most > 255) return isGrey ? deepGrey(statistics) : deepColour(statistics)
  if (isLabels(statistics, isGrey)) return { what: message('label_mask_of_values', { values: statistics.colours.size }), keepsForm: isGrey }
  if (isGrey) return undefined
  if (isNormalMap(statistics)) return { what: message('normal_map'), keepsForm: false }
  return isCode(statistics) ? { what: message('coded_heights_or_depths'), keepsForm: false } : undefined
}

/** Detects data in 16-bit grey. A photograph fills the range and has noise in its low byte. */
function deepGrey(statistics: DataStatistics): DataPicture | undefined {
  const range = statistics.highest[0]! - statistics.lowest[0]!
  const values = statistics.values.reduce((sum, isThere) => sum + isThere, 0)
  const spread = { values: values.toLocaleString('en'), from: statistics.lowest[0]!, to: statistics.highest[0]! }
  const measured = (what: Message): DataPicture => ({ what, keepsForm: true })
  if (values < 2) return undefined
  if (range < NARROW_RANGE) return measured(message('measurements_16_bits', spread))
  const step = commonDivisor(statistics.values)
  if (step > 1 && values >= LEAST_REGULAR) return measured(message('measurements_multiples', { ...spread, step }))
  const isSmooth = values > EIGHT_BITS && quantile(statistics.residuals, 0.5) < SMOOTH_RESIDUAL
  return isSmooth ? measured(message('measurements_smooth', spread)) : undefined
}

/** Greatest common divisor of all values that occur; 1 if it is a multiple of 257, which 8-bit pictures have. */
function commonDivisor(values: Uint8Array): number {
  let divisor = 0
  for (let value = 1; value < values.length && divisor !== 1; value++) {
    if (!values[value]) continue
    let rest = value
    while (rest > 0) [divisor, rest] = [rest, divisor % rest]
  }
  return divisor % 257 === 0 ? 1 : divisor
}

/** Detects data in 16-bit colour: normal maps, and channels that are not colours, such as the flag of a flow map. */
function deepColour(statistics: DataStatistics): DataPicture | undefined {
  // Test the flag before normals: flow vectors near zero with a flag look like unit vectors.
  const isFlag = [0, 1, 2].some((c) => statistics.highest[c]! < 256) && [0, 1, 2].some((c) => statistics.highest[c]! >= 16_384)
  if (isFlag) return { what: message('deep_values_with_flag'), keepsForm: true }
  return isNormalMap(statistics) ? { what: message('normal_map_of_16_bits'), keepsForm: true } : undefined
}

/**
 * True if the picture has few colours in large areas with sharp borders. Anti-aliased drawings and text have intermediate colours at most
 * borders. The colours are far apart, unlike gradients, or so dark that they can only be class numbers.
 */
function isLabels(statistics: DataStatistics, isGrey: boolean): boolean {
  const { colours, changes, isolated, pixels, opaque } = statistics
  // Translucent pictures of few colours are parts of user interfaces, not masks.
  if (!opaque) return false
  if (isGrey && statistics.highest[0]! > 0 && statistics.highest[0]! <= LABELS.darkest && colours.size <= LABELS.darkest)
    return isDarkMask(statistics)
  if (colours.size < LABELS.least || colours.size > LABELS.most) return false
  if (changes === 0 || pixels / changes < LABELS.pixelsPerChange || isolated > changes * LABELS.isolated) return false
  return quantile(statistics.changeSizes, 0.25) >= LABELS.step
}

/** True for class numbers stored as grey values so low that they look black. */
const isDarkMask = ({ changes, isolated, pixels, opaque }: DataStatistics) =>
  opaque && changes > 0 && pixels / changes >= 3 && isolated <= changes * 0.3

function isNormalMap(statistics: DataStatistics): boolean {
  const { directions, unitLength, pixels, colours } = statistics
  if (statistics.grey || colours.size < NORMALS.colours || directions < pixels * NORMALS.directions) return false
  if (unitLength < directions * NORMALS.share) return false
  // On a nearly flat surface almost all normals point out of the picture, so they vary less.
  const isUpright = statistics.sums[2]! > directions * NORMALS.flat.upright
  const least = isUpright ? NORMALS.flat.spread : NORMALS.spread
  return statistics.spread(0) >= least && statistics.spread(1) >= least
}

function isCode(statistics: DataStatistics): boolean {
  return statistics.codes.some(
    ({ pairs, nearPairs, wraps, nearWraps, lows, highs }) =>
      pairs > statistics.pixels * CODE.pairs &&
      nearPairs > pairs * CODE.near &&
      wraps > pairs * CODE.wraps &&
      nearWraps > wraps * CODE.nearWraps &&
      entropy(lows) > CODE.lowEntropy &&
      entropy(highs) < CODE.highEntropy,
  )
}

/** Receipt step of a data picture that stays lossless. */
export const exactDataStep = ({ what }: DataPicture): Message => message('data_kept_exact', { what })
export const lossyDataStep = ({ what }: DataPicture): Message => message('data_not_kept_exact', { what })
