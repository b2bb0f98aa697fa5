/** Converts WAVE and AIFF to Opus, with the tags. Chunks that Opus cannot store are named in the receipt. */
import { id3Frames, id3Picture, id3Tags } from '../../containers/id3/id3.ts'
import { isTextAndPictures } from '../../containers/id3/plain.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { convertSound, verifyConverted } from '../../sound/convert.ts'
import type { DecodedSound } from '../../sound/decoded-sound.ts'
import { OPUS_OUTPUT } from '../../sound/to-opus.ts'
import { FullScaleCheck } from './full-scale.ts'
import type { Wave } from './header.ts'
import { unstorableChunks } from './not-kept.ts'
import { readSound } from './read-sound.ts'
import { readSamples } from './samples.ts'
import { embeddedId3, readTags, TEXT_CHUNKS } from './tags.ts'
import { toPlanar } from './to-mp3.ts'

export async function wavToOpus(source: Source, wave: Wave, sink: Sink, options: Options): Promise<Outcome> {
  const outcome = await convertSound(await playedWave(source, wave), OPUS_OUTPUT, sink, options)
  if (outcome.kind === 'unchanged') return outcome
  const others = await unstorableChunks(source, wave, new Set([...TEXT_CHUNKS, 'id3 ', 'ID3 ']))
  return { ...outcome, steps: [...outcome.steps, ...others.map((what) => message('not_kept_no_place', { output: 'opus', what }))] }
}

export async function verifyOpus(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  return await verifyConverted(await playedWave(original, await readSound(original)), OPUS_OUTPUT, result, outcome, options)
}

/** @throws CodecError (unsupported_feature) for tags that Opus cannot store, and while reading for samples beyond full scale */
export async function playedWave(source: Source, wave: Wave): Promise<DecodedSound> {
  const { hertz, channels } = wave.layout
  const id3 = await embeddedId3(source, wave)
  if (id3 && !isTextAndPictures(id3)) throw unsupported('id3_frames_not_kept')
  const tags = [...(await readTags(source, wave)), ...(id3 ? id3Tags(id3) : [])]
  return {
    hertz,
    channels,
    frames: wave.frames,
    // Many files repeat tags in both forms.
    tags: [...new Map(tags.map((tag) => [tag.join('='), tag])).values()],
    covers: (id3 ? id3Frames(id3) : []).flatMap(({ id, body }) => (id === 'APIC' ? (id3Picture(body) ?? []) : [])),
    chapters: [],
    async *samples(options) {
      const fullScale = new FullScaleCheck()
      for await (const samples of readSamples(source, wave, options, options.progress)) {
        fullScale.add(samples)
        if (fullScale.clippingReason) throw unsupported(message('players_would_clip', { excess: fullScale.clippingReason }))
        yield toPlanar(samples, channels)
      }
    },
  }
}
