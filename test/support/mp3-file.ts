import { concat } from '../../src/core/bytes/concat.ts'
import { frameHeader } from '../../src/core/containers/mpeg-audio/frame.ts'
import { Lame } from '../../wasm/lame/lame.ts'
import { tones } from '../core/formats/media-fixtures.ts'

/** Returns a stereo MP3 at 44.1 kHz with small frames padded to 320 kbit/s and without a bit reservoir. */
export function looseMp3(samples: number): Uint8Array {
  using lame = new Lame({ channels: 2, hertz: 44100, vbrQuality: 9, noReservoir: true })
  const sound = tones(samples, 2, 44100)
  const channels = [0, 1].map((channel) => Float32Array.from({ length: samples }, (_, i) => sound[i * 2 + channel]! * 0.9))
  const stream = concat([...lame.encode(channels), lame.finish()])
  const frames: Uint8Array[] = []
  for (let at = 0, header = frameHeader(stream, 0); header; header = frameHeader(stream, (at += header.bytes))) {
    const frame = new Uint8Array(1044)
    frame.set(stream.subarray(at, at + header.bytes))
    frame[2] = 0xe0
    frames.push(frame)
  }
  return concat(frames.slice(1))
}
