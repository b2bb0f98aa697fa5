/** The sound of an M4A file as players play it: without the delay and padding that the edit list or `iTunSMPB` tell. */
import { Ffmpeg } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../../wasm/memories/discard.ts'
import { macintoshLanguage } from '../../../catalog/macintosh-languages.ts'
import { type Box, findBox, u16At, u32At, u64At } from '../../../containers/isobmff/box.ts'
import { readItemTags } from '../../../containers/isobmff/item-tags.ts'
import type { Movie } from '../../../containers/isobmff/movie.ts'
import { decoderConfig } from '../../../containers/isobmff/sound-entry.ts'
import type { Track } from '../../../containers/isobmff/track.ts'
import type { Tag } from '../../../containers/sound-tags.ts'
import type { Source } from '../../../model/codec.ts'
import { CodecError, malformed, unsupported } from '../../../model/error.ts'
import type { DecodedSound } from '../../../sound/decoded-sound.ts'
import { Trim } from '../../../sound/trim.ts'
import { gaplessPacketSamples } from '../compare-sound.ts'
import { isEncrypted, packetStream, SURROUND } from '../decoders.ts'
import { decodedSound } from '../sound.ts'
import { chaptersOfList, chaptersOfTrack, chapterTrack } from './chapters.ts'

export interface PlayedM4a extends DecodedSound {
  /** Bits of a sample of Apple Lossless. `undefined`: the codec is lossy. */
  readonly exactBits: number | undefined
}

/**
 * Returns the sound of a file for a conversion.
 * @throws CodecError (unsupported_feature) for several tracks besides chapters, and for sound that is not decoded
 */
export async function playedM4a(source: Source, movie: Movie): Promise<PlayedM4a> {
  const { moov, moovBox, tracks } = movie
  const track = soundTrack(movie)
  const titles = chapterTrack(movie, track)
  const [entry] = track.descriptions
  if (entry && tellsHeAac(moov, entry)) throw unsupported('he_aac_not_converted')
  const stream = entry && track.descriptions.length === 1 ? packetStream(moov, entry, SURROUND) : undefined
  if (!stream || tracks.some((one) => one !== track && one !== titles)) throw unsupported('m4a_sound_not_converted')
  const runs = track.samples()
  const perPacket = gaplessPacketSamples(runs, track.timescale, stream.hertz) ?? 0
  if (perPacket <= 0 || perPacket > MAX_PACKET_SAMPLES) throw unsupported('m4a_has_gaps')
  const { tags, covers, gapless } = readItemTags(moov, moovBox)
  const [skip, frames] = playedRange(movie, track, stream.hertz, gapless)
  return {
    hertz: stream.hertz,
    channels: stream.channels,
    frames,
    tags: [...tags, ...headerTags(moov, moovBox, track)],
    covers,
    chapters: titles ? await chaptersOfTrack(source, titles) : chaptersOfList(moov, moovBox),
    exactBits: stream.decoder === 'alac' ? stream.extradata[ALAC_BITS_AT] : undefined,
    async *samples(given) {
      const options = { ...given, progress: (share: number) => given.progress(SHARE_OF_DECODING * share) }
      using engine = new Ffmpeg()
      const trim = new Trim(skip, frames)
      for await (const planar of decodedSound(engine, { source, stream, runs, options })) {
        for (const kept of trim.cut(planar)) yield kept.map((channel) => channel.slice())
        planar.forEach(discard)
      }
      engine.endAudio()
      for (let sound = engine.nextSound(); sound; sound = engine.nextSound()) yield* trim.cut(sound.channels)
      if (trim.left > 0) throw malformed('m4a', source.size, 'cannot_be_decoded')
    },
  }
}

/** Object types of HE-AAC: spectral band replication, and with parametric stereo (ISO/IEC 14496-3, table 1.17). */
const HIGH_EFFICIENCY = [5, 29]

/** True if the configuration tells HE-AAC: by its object type, or in an extension that begins with the sync word 0x2b7. */
function tellsHeAac(moov: Uint8Array, entry: Box): boolean {
  const esds = findBox(moov, { body: entry.body + 28, end: entry.end }, 'esds')
  const bytes = esds && decoderConfig(moov, esds)?.specific
  if (!bytes) return false
  return HIGH_EFFICIENCY.includes(bytes[0]! >> 3) || (bytes[2] === 0x56 && bytes[3] === 0xe5 && bytes[4]! >> 7 === 1)
}

/** Most samples of each channel in a packet: Apple Lossless has 4096. Safety limit. */
const MAX_PACKET_SAMPLES = 65_536
/** Progress of a job when all sound is decoded and encoded. The rest is the verification. */
const SHARE_OF_DECODING = 0.6
/** Offset of the bits of a sample in the box `alac`: header, version and flags, frame length, compatible version. */
const ALAC_BITS_AT = 8 + 4 + 5

/** @throws CodecError (unsupported_feature) if there is none, (encrypted) if the sound is encrypted */
function soundTrack({ tracks, fragmented }: Movie): Track {
  const track = tracks.find(({ handler, sampleCount }) => handler === 'soun' && sampleCount > 0)
  if (!track || fragmented) throw unsupported('m4a_sound_not_converted')
  if (track.descriptions.some(isEncrypted)) throw new CodecError('encrypted')
  return track
}

/** `iTunSMPB`: zeros, delay, padding and played samples, hexadecimal. */
const GAPLESS = /^ ?[0-9a-f]{8} ([0-9a-f]{8}) [0-9a-f]{8} ([0-9a-f]{16})/i
const NORMAL_RATE = 0x10000

/**
 * Samples to skip, and samples that are played.
 * @throws CodecError (unsupported_feature) if the edit list does not play one stretch of the sound at its own speed
 */
function playedRange(
  { timescale }: Movie,
  { duration, timescale: units, edits = [] }: Track,
  hertz: number,
  gapless: string | undefined,
): readonly [skip: number, frames: number] {
  const [edit, ...others] = edits
  if (others.length > 0 || (edit && (edit.mediaTime < 0 || edit.rate !== NORMAL_RATE))) throw unsupported('m4a_edits_not_converted')
  const skip = Math.round(((edit?.mediaTime ?? 0) * hertz) / units)
  const left = Math.max(0, Math.round((duration * hertz) / units) - skip)
  const [, delay = '', samples = ''] = GAPLESS.exec(gapless ?? '') ?? []
  const told = [Number.parseInt(delay, 16), Number.parseInt(samples, 16)] as const
  // Files of iTunes have no edit list.
  if (skip === 0 && told[1] > 0 && told[0] + told[1] <= left) return told
  const shown = edit?.duration ? (edit.duration * hertz) / timescale : left
  // The duration of an edit is rounded to units of the movie.
  return [skip, Math.abs(left - shown) <= hertz / timescale ? left : Math.min(left, Math.round(shown))]
}

const SECONDS_1904_TO_1970 = 2_082_844_800
/** Nearly the latest time that JavaScript has. */
const LATEST_SECONDS = 8e12
const UNDETERMINED = 0x55c4

/** Tags for what MP4 stores in its headers: time of creation and language (ISO/IEC 14496-12, 8.2.2 and 8.4.2). */
function headerTags(moov: Uint8Array, moovBox: Box, { box }: Track): Tag[] {
  const [movie, media] = [findBox(moov, moovBox, 'mvhd')!, findBox(moov, box, 'mdia', 'mdhd')!]
  const created = createdIn(moov, movie) || createdIn(moov, media)
  const language = languageOf(u16At(moov, media.body + (moov[media.body] === 1 ? 32 : 20)))
  return [
    ...(created === 0 ? [] : [['creation_time', isoTime(created)] as const]),
    ...(language === undefined ? [] : [['language', language] as const]),
  ]
}

/** Language of `mdhd`: three letters from 0x400 on, before that a code of the Macintosh. `undefined`: none. */
function languageOf(code: number): string | undefined {
  if (code < 0x400) return macintoshLanguage(code)
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(0x60 + ((code >> shift) & 31))).join('')
  return code < 0x7fff && code !== UNDETERMINED ? letters : undefined
}

const createdIn = (moov: Uint8Array, { body }: Box) => (moov[body] === 1 ? u64At(moov, body + 4) : u32At(moov, body + 4))

/** Time as ISO 8601 without fractions. `since1904`: seconds. */
function isoTime(since1904: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: time that the file stores; it is not used for measuring
  return new Date(Math.min(LATEST_SECONDS, since1904 - SECONDS_1904_TO_1970) * 1000).toISOString().replace('.000', '')
}
