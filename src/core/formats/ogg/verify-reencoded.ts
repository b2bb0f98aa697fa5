/** Compares Opus that was encoded again with the original: header packets but for the vendor, length, and the noise that the receipt tells. */
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { compareSounds } from '../../sound/compare.ts'
import { OPUS_VENDOR } from '../../sound/opus-file.ts'
import { withOpusVendor } from './headers.ts'
import { decoded } from './played.ts'
import { readOggSound } from './read-sound.ts'
import { SNR_TOLERANCE_DB } from './tuning.ts'
import { areSameHeaders, isSameFirst } from './verify-headers.ts'

export async function verifyReencoded(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  const claimed = outcome.kind === 'compressed' ? outcome.loss?.sound?.snrDb : undefined
  if (claimed === undefined) return differs('the receipt has no loss of sound')
  try {
    const [a, b] = [await readOggSound(original, options.signal), await readOggSound(result, options.signal)]
    if (!isSameFirst('opus', a.stream.first, b.stream.first) || a.stream.serial !== b.stream.serial)
      return differs('the first packet changed')
    if (!areSameHeaders('opus', withOpusVendor(a.headers, OPUS_VENDOR), b.headers, options.metadata))
      return differs('header packets changed')
    if (a.skip !== b.skip || a.frames !== b.frames) return differs(`${b.frames} samples instead of ${a.frames}`)
    const same = { withGain: false }
    const { meter, frames } = await compareSounds(decoded(original, a, same, options), decoded(result, b, same, options))
    if (frames[0] !== frames[1]) return differs(`${frames[1]} samples instead of ${frames[0]}`)
    return meter.heardDecibels >= claimed - SNR_TOLERANCE_DB ? { equal: true } : differs(`${meter.decibels} dB instead of ${claimed}`)
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return differs(error.message)
    throw error
  }
}
