import { AAC_RATES } from '../../../../containers/isobmff/aac-rates.ts'

const [ESCAPE, OWN_RATE] = [31, 15]
/** Object types with spectral band replication, which double the rate of a core coder. */
const DOUBLED = [5, 29]
/** Object types with a GASpecificConfig: Main, LC, SSR, LTP, scalable, TwinVQ. */
const GENERAL = [1, 2, 3, 4, 6, 7]

/** Rate of the core coder, channels (0: not told) and samples of a frame (AudioSpecificConfig, ISO/IEC 14496-3, 1.6.2.1). */
export function aacFacts(config: Uint8Array): { hertz: number; channels: number; samples: number | undefined } | undefined {
  let at = 0
  const bits = (count: number) => {
    let value = 0
    for (; count > 0; count--, at++) value = value * 2 + (((config[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
    return value
  }
  const objectType = () => {
    const type = bits(5)
    return type === ESCAPE ? 32 + bits(6) : type
  }
  const rate = () => {
    const index = bits(4)
    return index === OWN_RATE ? bits(24) : AAC_RATES[index]
  }
  if (config.length < 2) return undefined
  let type = objectType()
  const hertz = rate()
  const channels = [0, 1, 2, 3, 4, 5, 6, 8][bits(4)] ?? 0
  if (DOUBLED.includes(type)) {
    rate()
    type = objectType()
  }
  if (!hertz) return undefined
  const isShort = bits(1) === 1
  return { hertz, channels, samples: GENERAL.includes(type) ? (isShort ? 960 : 1024) : undefined }
}
