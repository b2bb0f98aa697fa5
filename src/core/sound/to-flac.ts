/** Writes decoded sound as FLAC, with 16 bits for lossy codecs, and reads such files again. */
import { FlacDecoder, FlacEncoder, STREAM_INFO_OFFSET } from '../../../wasm/flac/flac.ts'
import { chapterComments } from '../containers/xiph/chapters.ts'
import { commentsOf } from '../containers/xiph/tags.ts'
import { message } from '../i18n/message.ts'
import { SnrMeter } from '../metrics/snr.ts'
import type { Options, Sink, Source } from '../model/codec.ts'
import { malformed, unsupported } from '../model/error.ts'
import type { DecodedSound } from './decoded-sound.ts'
import type { SoundOutput } from './sound-output.ts'

const LOSSY_BITS = 16
/** Most bits that a sample of 32-bit floating point stores exactly. */
const MAX_EXACT_BITS = 24
const FLAC_LEVEL = 8
const CHUNK_BYTES = 64 * 1024

export const FLAC_OUTPUT: SoundOutput = {
  rate: (hertz) => hertz,
  write: (sound, sink, options) => writeFlac(sound, LOSSY_BITS, sink, options),
  samples: samplesOfFlac,
  check(sound, { lossless }) {
    if (lossless) throw unsupported('flac_of_lossy_sound_is_rounded')
    checkStream(sound)
  },
}

/** FLAC of sound whose samples have `bits` bits, so that nothing is rounded. */
export const exactFlac = (bits: number): SoundOutput => ({
  rate: (hertz) => hertz,
  write: (sound, sink, options) => writeFlac(sound, bits, sink, options),
  samples: samplesOfFlac,
  check(sound) {
    if (bits > MAX_EXACT_BITS) throw unsupported(message('flac_bits_not_exact', { bits }))
    checkStream(sound)
  },
})

function checkStream({ channels, hertz }: DecodedSound): void {
  if (channels > 8 || (hertz >= 65_536 && hertz % 10 !== 0)) throw unsupported(message('flac_has_no_channels_at_hz', { channels, hertz }))
}

async function writeFlac(sound: DecodedSound, bits: number, sink: Sink, options: Options) {
  const { hertz, channels, frames, tags, covers, chapters } = sound
  using encoder = new FlacEncoder(
    { channels, bits, hertz, level: FLAC_LEVEL, totalFrames: frames },
    { comments: [...commentsOf(tags), ...chapterComments(chapters)], applications: [], pictures: covers },
  )
  const meter = new SnrMeter()
  for await (const planar of sound.samples(options)) {
    const interleaved = rounded(planar, 2 ** (bits - 1))
    measure(meter, planar, interleaved, 2 ** (bits - 1))
    for (const chunk of encoder.encode(interleaved)) await sink.write(chunk)
  }
  const { chunks, streamInfo } = encoder.finish()
  for (const chunk of chunks) await sink.write(chunk)
  sink.patch(STREAM_INFO_OFFSET, streamInfo)
  return { snrDb: meter.heardDecibels, steps: [message('libflac_level_bits', { level: FLAC_LEVEL, bits })] }
}

/** Rounds samples as players do: beyond full scale they are clipped. */
function rounded(planar: readonly Float32Array[], scale: number): Int32Array {
  const { length } = planar[0]!
  const out = new Int32Array(length * planar.length)
  for (const [channel, values] of planar.entries())
    for (let i = 0, at = channel; i < length; i++, at += planar.length)
      out[at] = Math.max(-scale, Math.min(scale - 1, Math.round(values[i]! * scale)))
  return out
}

function measure(meter: SnrMeter, planar: readonly Float32Array[], interleaved: Int32Array, scale: number): void {
  for (const [channel, values] of planar.entries())
    meter.add(
      values,
      values.map((_, i) => interleaved[i * planar.length + channel]! / scale),
    )
}

/** Yields all samples. @throws CodecError (malformed) if a frame is damaged, or the MD5 or the length differs */
async function* samplesOfFlac(result: Source, frames: number, { signal }: Options): AsyncGenerator<Float32Array[]> {
  // Channels − 1 (3 bits) and bits − 1 (5 bits) follow the sample rate (RFC 9639, section 8.2).
  const info = (await result.read(STREAM_INFO_OFFSET, 18)).slice()
  const channels = ((info[12]! >> 1) & 7) + 1
  const scale = 2 ** -(((info[12]! & 1) << 4) | (info[13]! >> 4))
  const decoded: Float32Array[][] = []
  using decoder = new FlacDecoder(channels, (interleaved) => {
    const count = interleaved.length / channels
    decoded.push(
      Array.from({ length: channels }, (_, channel) =>
        Float32Array.from({ length: count }, (__, i) => interleaved[i * channels + channel]! * scale),
      ),
    )
  })
  let given = 0
  let isAtEnd = false
  for (let at = 0; ; ) {
    const step = decoder.step()
    if (step === 'damaged') throw malformed('flac', at, 'flac_frame_damaged')
    for (let block = decoded.shift(); block; block = decoded.shift()) {
      given += block[0]!.length
      yield block
    }
    if (step === 'end') break
    if (step !== 'hungry') continue
    signal.throwIfAborted()
    const chunk = (await result.read(at, CHUNK_BYTES)).slice()
    at += chunk.length
    if (chunk.length > 0) decoder.push(chunk)
    else if (isAtEnd) throw malformed('flac', at, 'flac_frame_damaged')
    else {
      decoder.end()
      isAtEnd = true
    }
  }
  if (!decoder.finish()) throw malformed('flac', 0, 'flac_md5_differs')
  if (given !== frames) throw malformed('flac', 0, message('flac_samples_missing', { samples: given, expected: frames }))
}
