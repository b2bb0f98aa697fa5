/** Headers of sound frames: AAC in ADTS, MPEG audio, AC-3 and E-AC-3. */
import { AAC_RATES } from '../../../containers/isobmff/aac-rates.ts'
import { layerHeader } from '../../../containers/mpeg-audio/any-layer.ts'
import type { SoundHeader, SoundSyntax } from './sound-framer.ts'

/** AAC in ADTS (ISO/IEC 14496-3, 1.A.2). MP4 stores frames without this header. */
export const ADTS: SoundSyntax = {
  headerBytes: 7,
  read(b) {
    if (b[0] !== 0xff || (b[1]! & 0xf6) !== 0xf0) return undefined
    const hertz = AAC_RATES[(b[2]! >> 2) & 15]
    const bytes = ((b[3]! & 3) << 11) | (b[4]! << 3) | (b[5]! >> 5)
    const skipped = b[1]! & 1 ? 7 : 9
    const configuration = ((b[2]! & 1) << 2) | (b[3]! >> 6)
    // A frame of one byte has no sound, and a size of 1 for all samples means PCM in QuickTime.
    if (!hertz || bytes <= skipped + 1) return undefined
    const blocks = (b[6]! & 3) + 1
    return {
      ...{ bytes, skipped, hertz, samples: 1024 * blocks, channels: [0, 1, 2, 3, 4, 5, 6, 8][configuration]! },
      facts: `${b[2]! >> 6} ${hertz} ${configuration} ${blocks}`,
    }
  },
}

/** AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) of an ADTS header. `undefined`: channels or blocks that it cannot tell. */
export function adtsConfiguration({ facts }: SoundHeader): Uint8Array | undefined {
  const [profile = 0, hertz = 0, configuration = 0, blocks = 0] = facts.split(' ').map(Number)
  if (configuration === 0 || blocks !== 1) return undefined
  const rate = AAC_RATES.indexOf(hertz)
  return Uint8Array.of(((profile + 1) << 3) | (rate >> 1), ((rate & 1) << 7) | (configuration << 3))
}

/** MPEG audio, layers II and III. */
export const MPEG_AUDIO: SoundSyntax = {
  headerBytes: 4,
  read(bytes) {
    const header = layerHeader(bytes)
    return header && { ...header, skipped: 0, facts: `${header.layer} ${header.version} ${header.hertz}` }
  },
}

/** Bit rates of AC-3 in kbit/s (ETSI TS 102 366, table 4.13). */
const AC3_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
const CHANNELS = [2, 1, 2, 3, 3, 4, 4, 5]
const AC3_SAMPLES = 1536

/** AC-3 and E-AC-3 (ETSI TS 102 366, 4.3 and E.1.2). */
export const AC3: SoundSyntax = {
  headerBytes: 8,
  read(b) {
    if (b[0] !== 0x0b || b[1] !== 0x77) return undefined
    const id = b[5]! >> 3
    return id <= 10 ? plainAc3(b) : id === 16 ? enhancedAc3(b) : undefined
  },
}

function plainAc3(b: Uint8Array): SoundHeader | undefined {
  const hertz = [48_000, 44_100, 32_000][b[4]! >> 6]
  const kbps = AC3_KBPS[(b[4]! & 63) >> 1]
  if (!hertz || !kbps) return undefined
  const words = hertz === 44_100 ? Math.floor((kbps * 96_000) / 44_100) + (b[4]! & 1) : (kbps * 96_000) / hertz
  const mode = b[6]! >> 5
  // Mix levels stand between the mode and the flag of the low-frequency channel.
  const skip = (mode & 1 && mode !== 1 ? 2 : 0) + (mode & 4 ? 2 : 0) + (mode === 2 ? 2 : 0)
  const hasLow = (((b[6]! << 8) | b[7]!) >> (12 - skip)) & 1
  return { bytes: 2 * words, skipped: 0, hertz, samples: AC3_SAMPLES, channels: CHANNELS[mode]! + hasLow, facts: `ac3 ${hertz}` }
}

function enhancedAc3(b: Uint8Array): SoundHeader | undefined {
  const bytes = 2 * ((((b[2]! & 7) << 8) | b[3]!) + 1)
  const hertz = [48_000, 44_100, 32_000][b[4]! >> 6]
  if (!hertz) return undefined
  const channels = CHANNELS[(b[4]! >> 1) & 7]! + (b[4]! & 1)
  // Dependent and further substreams differ in these fields, so a stream with them is refused.
  const facts = `eac3 ${hertz} ${b[2]! >> 3} ${(b[4]! >> 4) & 3} ${channels}`
  return { bytes, skipped: 0, hertz, samples: AC3_SAMPLES, channels, facts }
}
