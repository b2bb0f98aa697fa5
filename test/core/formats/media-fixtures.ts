/** Generates small deterministic films and sounds in memory. */
import { concat } from '../../../src/core/bytes/concat.ts'
import type { OutputId } from '../../../src/core/catalog/outputs.ts'
import { box, boxes, fullBox, latin1Bytes, rebuild, words } from '../../../src/core/containers/isobmff/box.ts'
import { chunkHeader } from '../../../src/core/containers/riff/riff.ts'
import type { Codec, Options, Quality } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../src/core/model/source.ts'
import { openJob } from '../../../src/core/pipeline/job.ts'

export function optionsFor(quality: Quality, output: OutputId): Options {
  return {
    quality,
    output,
    memoryBudget: 96 * 1024 * 1024,
    signal: new AbortController().signal,
    progress: () => undefined,
    inner: { depth: 0, compress: async () => ({ kind: 'unchanged', reason: 'no_gain' }) },
  }
}

/** Runs a codec as the service does. */
export async function press(codec: Codec, bytes: Uint8Array, quality: Quality, output: OutputId, name = 'file') {
  const source = memorySource(bytes, name)
  const pressed = await openJob(codec, source, {}, optionsFor(quality, output)).whole(async () => memorySink(bytes.length, name))
  const result = pressed.result ? await readAll(pressed.result) : bytes
  return { ...pressed, bytes: result }
}

/** Deterministic pseudo-random numbers from 0 to 1. */
export function noise(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Two tones with a little noise, interleaved, −1…1. */
export function tones(frames: number, channels: number, hertz: number): Float64Array {
  const random = noise(7)
  return Float64Array.from({ length: frames * channels }, (_, i) => {
    const time = Math.floor(i / channels) / hertz
    return (
      0.4 * Math.sin(2 * Math.PI * 440 * time) +
      0.2 * Math.sin(2 * Math.PI * (660 + 110 * (i % channels)) * time) +
      (random() - 0.5) * 0.004
    )
  })
}

const riffChunk = (id: string, body: Uint8Array) => concat([chunkHeader(id, body.length), body, new Uint8Array(body.length & 1)])
const ascii = (value: string) => Uint8Array.from(value, (letter) => letter.charCodeAt(0))

/** A WAVE file of integer samples. `extra` chunks precede the data. */
export function wave(values: Int32Array, bits: number, channels: number, hertz: number, extra: [string, Uint8Array][] = []): Uint8Array {
  const fmt = new Uint8Array(16)
  const view = new DataView(fmt.buffer)
  const block = (channels * bits) / 8
  view.setUint16(0, 1, true)
  view.setUint16(2, channels, true)
  view.setUint32(4, hertz, true)
  view.setUint32(8, hertz * block, true)
  view.setUint16(12, block, true)
  view.setUint16(14, bits, true)
  const data = new Uint8Array((values.length * bits) / 8)
  values.forEach((value, i) => {
    const stored = bits === 8 ? value + 128 : value
    for (let byte = 0; byte < bits / 8; byte++) data[(i * bits) / 8 + byte] = stored >> (8 * byte)
  })
  const body = concat([ascii('WAVE'), riffChunk('fmt ', fmt), ...extra.map(([id, bytes]) => riffChunk(id, bytes)), riffChunk('data', data)])
  return riffChunk('RIFF', body)
}

/** A picture of moving gradients, UYVY. */
function picture(width: number, height: number, frame: number): Uint8Array {
  const out = new Uint8Array(width * height * 2)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 2
      out[at] = 128 + 40 * Math.sin((x + frame * 2) / 17)
      out[at + 1] = 128 + 60 * Math.sin((x - frame * 3) / 9) + 40 * Math.cos((y + frame) / 7)
    }
  }
  return out
}

/** An uncompressed QuickTime film with PCM sound, unused space (`free`), and the index last. */
export function rawMovie(frames: number, width = 64, height = 48): Uint8Array {
  const pictures = Array.from({ length: frames }, (_, frame) => picture(width, height, frame))
  const hertz = 8000
  const sound = new Uint8Array(Math.round((frames / 25) * hertz) * 2)
  const soundView = new DataView(sound.buffer)
  tones(sound.length / 2, 1, hertz).forEach((value, i) => {
    soundView.setInt16(i * 2, value * 20000, true)
  })
  const media = concat([...pictures, sound])
  const ftyp = box('ftyp', latin1Bytes('qt  '), words(0x200), latin1Bytes('qt  '))
  const free = box('free', new Uint8Array(500))
  const start = ftyp.length + free.length + 8
  const matrix = words(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
  const visual = new Uint8Array(78)
  const visualView = new DataView(visual.buffer)
  visualView.setUint16(6, 1)
  visualView.setUint16(24, width)
  visualView.setUint16(26, height)
  visualView.setUint16(74, 24)
  const audio = new Uint8Array(28)
  const audioView = new DataView(audio.buffer)
  audioView.setUint16(6, 1)
  audioView.setUint16(16, 1)
  audioView.setUint16(18, 16)
  audioView.setUint32(24, hertz * 65536)
  const track = (
    id: number,
    handler: string,
    scale: number,
    duration: number,
    entry: Uint8Array,
    count: number,
    size: number,
    offset: number,
  ) =>
    box(
      'trak',
      fullBox('tkhd', 3, words(0, 0, id, 0, (duration * 1000) / scale, 0, 0, 0, 0), matrix, words(width << 16, height << 16)),
      box(
        'mdia',
        fullBox('mdhd', 0, words(0, 0, scale, duration, 0x55c40000)),
        fullBox('hdlr', 0, latin1Bytes('mhlr'), latin1Bytes(handler), words(0, 0, 0), Uint8Array.of(0)),
        box(
          'minf',
          handler === 'vide' ? fullBox('vmhd', 1, words(0, 0)) : fullBox('smhd', 0, words(0)),
          box('dinf', fullBox('dref', 0, words(1), fullBox('url ', 1))),
          box(
            'stbl',
            fullBox('stsd', 0, words(1), entry),
            fullBox('stts', 0, words(1, count, duration / count)),
            fullBox('stsc', 0, words(1, 1, count, 1)),
            fullBox('stsz', 0, words(size, count)),
            fullBox('stco', 0, words(1, offset)),
          ),
        ),
      ),
    )
  const soundCount = sound.length / 2
  const moov = box(
    'moov',
    fullBox('mvhd', 0, words(0, 0, 1000, frames * 40, 0x10000, 0x01000000, 0, 0), matrix, words(0, 0, 0, 0, 0, 0, 3)),
    track(1, 'vide', 12800, frames * 512, box('2vuy', visual), frames, width * height * 2, start),
    track(2, 'soun', hertz, soundCount, box('sowt', audio), soundCount, 2, start + frames * width * height * 2),
    box('udta', box('©nam', Uint8Array.of(0, 4, 0, 0, 84, 101, 115, 116))),
  )
  return concat([ftyp, free, words(media.length + 8), latin1Bytes('mdat'), media, moov])
}

/** An MP4 file of sound alone: PCM, unused space, a title, and bytes that no track uses. */
export function soundMovie(frames: number): Uint8Array {
  const film = rawMovie(frames, 8, 8)
  film.set(latin1Bytes('M4A '), 8)
  film.set(latin1Bytes('M4A '), 16)
  const at = Buffer.from(film.buffer, film.byteOffset, film.length).indexOf('moov') - 4
  const moov = film.slice(at)
  let pictures = 0
  const parts = rebuild(moov, [...boxes(moov, 0, moov.length)][0]!, ({ type }) =>
    type === 'trak' && pictures++ === 0 ? new Uint8Array(0) : undefined,
  )
  return concat([film.subarray(0, at), box('moov', ...parts)])
}

/** An uncompressed AVI (UYVY). With `hertz`, it has 16-bit mono sound, one chunk after each picture. */
export function rawAvi(frames: number, width = 64, height = 48, hertz = 0): Uint8Array {
  const le = (...values: number[]) => {
    const out = new Uint8Array(values.length * 4)
    const view = new DataView(out.buffer)
    values.forEach((value, i) => {
      view.setUint32(i * 4, value, true)
    })
    return out
  }
  const size = width * height * 2
  const list = (type: string, ...parts: Uint8Array[]) => riffChunk('LIST', concat([ascii(type), ...parts]))
  const strh = concat([ascii('vidsUYVY'), le(0, 0, 0, 1, 25, 0, frames, size, 0xffffffff, 0), le(0, 0)])
  const strf = concat([le(40, width, height), Uint8Array.of(1, 0, 16, 0), ascii('UYVY'), le(size, 0, 0, 0, 0)])
  const perFrame = hertz / 25
  const soundHeaders = hertz
    ? [
        list(
          'strl',
          riffChunk('strh', concat([ascii('auds'), le(0, 0, 0, 0, 1, hertz, 0, frames * perFrame, perFrame * 2, 0xffffffff, 2), le(0, 0)])),
          riffChunk('strf', concat([Uint8Array.of(1, 0, 1, 0), le(hertz, hertz * 2), Uint8Array.of(2, 0, 16, 0)])),
        ),
      ]
    : []
  const hdrl = list(
    'hdrl',
    riffChunk('avih', le(40000, 0, 0, 0x10, frames, 0, hertz ? 2 : 1, size, width, height, 0, 0, 0, 0)),
    list('strl', riffChunk('strh', strh), riffChunk('strf', strf)),
    ...soundHeaders,
  )
  const samples = new Int16Array(frames * perFrame)
  tones(samples.length, 1, hertz || 1).forEach((value, i) => {
    samples[i] = value * 20000
  })
  const chunks = Array.from({ length: frames }, (_, frame) => {
    const pictureChunk = { id: '00db', body: picture(width, height, frame) }
    const sound = new Uint8Array(samples.slice(frame * perFrame, (frame + 1) * perFrame).buffer)
    return hertz ? [pictureChunk, { id: '01wb', body: sound }] : [pictureChunk]
  }).flat()
  const movi = list('movi', ...chunks.map(({ id, body }) => riffChunk(id, body)))
  let at = 4
  const rows = chunks.map(({ id, body }) => {
    const row = concat([ascii(id), le(0x10, at, body.length)])
    at += 8 + body.length + (body.length & 1)
    return row
  })
  return riffChunk('RIFF', concat([ascii('AVI '), hdrl, riffChunk('JUNK', new Uint8Array(600)), movi, riffChunk('idx1', concat(rows))]))
}
