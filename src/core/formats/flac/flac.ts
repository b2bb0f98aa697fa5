/**
 * Codec for FLAC. Decodes the samples and encodes them again with the best settings of libFLAC, drops padding, and recompresses covers
 * without loss. Every level is lossless. On request the sound becomes M4A or MP3.
 */
import { FLAC } from '../../catalog/formats/flac.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { noGain } from '../../model/error.ts'
import { convertSound, verifyConverted } from '../../sound/convert.ts'
import { soundOutput } from '../../sound/outputs.ts'
import { type PlannedBlock, planBlocks } from './blocks.ts'
import { checkFrames } from './decode.ts'
import { type FlacFile, PADDING, readFlac } from './file.ts'
import { playedFlac } from './played.ts'
import { FLAC_LEVEL } from './tuning.ts'
import { verifyFlac } from './verify.ts'
import { withoutFlacMetadata } from './without-metadata.ts'
import { copyFrames, headBytes, planEncoding, readStreamInfo, writeEncoded, writeHead } from './write.ts'

export const flac: MetadataCodec = {
  withoutMetadata: withoutFlacMetadata,
  format: FLAC,

  async compress(source, sink, options): Promise<Outcome> {
    const file = await readFlac(source)
    if (options.output !== 'flac')
      return await convertSound(await playedFlac(source, file, options), soundOutput(options.output), sink, options)
    const blocks = await planBlocks(source, file, options)
    const copiedSize = headBytes(file, blocks) + source.size - file.framesOffset
    const plan = await planEncoding(source, file, blocks)
    if (!plan) await checkFrames(source, file, options)
    else if (await writeEncoded(source, file, plan, copiedSize, { sink, options }))
      return { kind: 'compressed', steps: [encodingStep(file), ...paddingSteps(file, blocks)] }
    if (copiedSize >= source.size) throw noGain()
    await sink.abort()
    return await copyFlac(source, file, blocks, { sink, options })
  },

  async verify(original, result, outcome, options) {
    if (options.output === 'flac') return await verifyFlac(original, result, outcome, options)
    const played = await playedFlac(original, await readFlac(original), options)
    return await verifyConverted(played, soundOutput(options.output), result, outcome, options)
  },
}

/** Writes the frames of the original behind the smaller metadata. */
async function copyFlac(
  source: Source,
  file: FlacFile,
  blocks: readonly PlannedBlock[],
  { sink, options }: { readonly sink: Sink; readonly options: Options },
): Promise<Outcome> {
  await writeHead(source, file, blocks, await readStreamInfo(source, file), sink)
  await copyFrames(source, file, sink, options)
  return { kind: 'compressed', steps: paddingSteps(file, blocks) }
}

const encodingStep = ({ info: { bits } }: FlacFile): Message => message('libflac_level_bits', { level: FLAC_LEVEL, bits })

function paddingSteps({ blocks }: FlacFile, planned: readonly PlannedBlock[]): Message[] {
  const pictures = planned.filter(({ body }) => body).length
  return [
    ...(blocks.some(({ type }) => type === PADDING) ? [message('padding_of_tags_dropped')] : []),
    ...(pictures > 0 ? [message('flac_covers_recompressed', { pictures })] : []),
  ]
}
