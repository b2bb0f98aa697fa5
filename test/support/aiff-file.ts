/** Builds AIFF and AIFF-C files for tests. */
import { concat } from '../../src/core/bytes/concat.ts'
import { latin1Bytes } from '../../src/core/bytes/latin1.ts'
import { ByteWriter } from '../../src/core/bytes/writer.ts'

export interface AiffOptions {
  readonly channels?: number
  /** Sample rate as 80-bit floating point. Default: 44,100 Hz. */
  readonly rate?: readonly number[]
  /** Kind of compression of an AIFF-C file. `undefined`: an AIFF file. */
  readonly compression?: string | undefined
  /** Further chunks in front of the sound. */
  readonly chunks?: readonly (readonly [id: string, body: Uint8Array])[]
}

/** 44,100 Hz as 80-bit floating point: exponent 16383 + 15, significand 44100 << 48. */
const RATE_44100 = [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]

export const iffChunk = (id: string, body: Uint8Array): Uint8Array =>
  concat([latin1Bytes(id), new ByteWriter(new Uint8Array(4), false).u32(body.length).finish(), body, new Uint8Array(body.length & 1)])

/** Returns a file with signed samples of `bits` bits, interleaved. */
export function aiffFile(
  samples: ArrayLike<number>,
  bits: 8 | 16 | 24 | 32,
  { channels = 2, rate = RATE_44100, compression, chunks = [] }: AiffOptions = {},
): Uint8Array {
  const sound = new Uint8Array((samples.length * bits) / 8)
  for (let i = 0; i < samples.length; i++)
    for (let byte = 0; byte < bits / 8; byte++) {
      const place = compression === 'sowt' ? byte : bits / 8 - 1 - byte
      sound[(i * bits) / 8 + place] = samples[i]! >> (8 * byte)
    }
  return aiffOf(sound, samples.length / channels, bits, { channels, rate, compression, chunks })
}

/** Returns a file with `sound` as the bytes of its samples. */
export function aiffOf(
  sound: Uint8Array,
  frames: number,
  bits: number,
  { channels = 2, rate = RATE_44100, compression, chunks = [] }: AiffOptions,
) {
  const comm = ByteWriter.growing(false).u16(channels).u32(frames).u16(bits).bytes(rate)
  if (compression !== undefined) comm.ascii(compression).u16(0)
  const version: [string, Uint8Array][] = compression === undefined ? [] : [['FVER', Uint8Array.of(0xa2, 0x80, 0x51, 0x40)]]
  const all = [...version, ['COMM', comm.finish()] as const, ...chunks, ['SSND', concat([new Uint8Array(8), sound])] as const]
  const form = latin1Bytes(compression === undefined ? 'AIFF' : 'AIFC')
  return iffChunk('FORM', concat([form, ...all.map(([id, body]) => iffChunk(id, body))]))
}
