import { BitReader } from '../../../../bytes/bits.ts'
import { AAC_RATES } from '../../../../containers/isobmff/aac-rates.ts'

const [ESCAPE, OWN_RATE] = [31, 15]
/** Object types with spectral band replication, which double the rate of a core coder. */
const DOUBLED = [5, 29]
/** Object types with a GASpecificConfig: Main, LC, SSR, LTP, scalable, TwinVQ. */
const GENERAL = [1, 2, 3, 4, 6, 7]

/** Longest configuration up to the flag for short frames, with escapes for types and rates: 83 bits. */
const MAX_BYTES = 11

/** Rate of the core coder, channels (0: not told) and samples of a frame (AudioSpecificConfig, ISO/IEC 14496-3, 1.6.2.1). */
export function aacFacts(config: Uint8Array): { hertz: number; channels: number; samples: number | undefined } | undefined {
  if (config.length < 2) return undefined
  const reader = BitReader.padded(config, MAX_BYTES)
  const objectType = () => {
    const type = reader.bits(5)
    return type === ESCAPE ? 32 + reader.bits(6) : type
  }
  const rate = () => {
    const index = reader.bits(4)
    return index === OWN_RATE ? reader.bits(24) : AAC_RATES[index]
  }
  let type = objectType()
  const hertz = rate()
  const channels = [0, 1, 2, 3, 4, 5, 6, 8][reader.bits(4)] ?? 0
  if (DOUBLED.includes(type)) {
    rate()
    type = objectType()
  }
  if (!hertz) return undefined
  const isShort = reader.bits(1) === 1
  return { hertz, channels, samples: GENERAL.includes(type) ? (isShort ? 960 : 1024) : undefined }
}
