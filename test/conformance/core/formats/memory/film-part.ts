/**
 * A process of its own: makes a 1080p film of H.264 with many reference frames, encodes it as one message would, and prints
 * as JSON what that took: `memoryMB` of heap and Wasm at the worst moment, above the loaded modules and the film itself,
 * `cpuSeconds` for each frame, and the frames of the longest part a film of ten minutes is cut into.
 */

import { concat } from '../../../../../src/core/bytes/concat.ts'
import { cutFor } from '../../../../../src/core/formats/film/analyse.ts'
import { levelOf } from '../../../../../src/core/formats/film/levels.ts'
import { PartWriter } from '../../../../../src/core/formats/film/part-file.ts'
import type { PictureTrack } from '../../../../../src/core/formats/film/picture-track.ts'
import { encodePart } from '../../../../../src/core/formats/film/pictures.ts'
import { memorySink } from '../../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../../src/core/model/source.ts'
import { Ffmpeg } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { optionsFor } from '../../../../core/formats/media-fixtures.ts'

const [WIDTH, HEIGHT, FRAMES, RATE] = [1920, 1080, 16, 30]
const QUALITY = 'medium'

/** Textures that move in two directions, UYVY. */
function picture(frame: number): Uint8Array {
  const out = new Uint8Array(WIDTH * HEIGHT * 2).fill(128)
  const wave = Float32Array.from({ length: 4096 }, (_, i) => 40 * Math.sin(i / 19) + 12 * Math.sin(i / 5))
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const across = wave[(x + 3 * frame + ((y * y) >> 9)) & 4095]!
      out[(y * WIDTH + x) * 2 + 1] = 128 + across + wave[(y * 2 + ((x * y) >> 8) + 4095 - frame) & 4095]! / 2
    }
  }
  return out
}

/** The film: four references and three reordered frames between, as cameras and editors write it. */
function film(): { bytes: Uint8Array; track: PictureTrack } {
  const engine = new Ffmpeg()
  const raw = { decoder: 'rawvideo', extradata: new Uint8Array(), width: WIDTH, height: HEIGHT, tag: 0x59565955, bitsPerSample: 16 }
  engine.openVideo(raw)
  const packets: { bytes: Uint8Array; pts: number; key: boolean }[] = []
  let headers: Uint8Array | undefined
  const asked: [string, string][] = [
    ['crf', '16'],
    ['ref', '4'],
    ['bframes', '3'],
    ['b-adapt', '0'],
    ['rc-lookahead', '0'],
    ['mbtree', '0'],
    ['weightp', '0'],
    ['subme', '0'],
    ['me', 'dia'],
    ['keyint', '250'],
  ]
  for (let frame = 0; frame < FRAMES; frame++) {
    engine.sendVideo(picture(frame), frame, true)
    if (!engine.nextPicture()) throw new Error('no picture')
    headers ??= engine.openEncoder('superfast', asked, { num: RATE, den: 1 }, RATE, true)
    const packet = engine.encode(frame, frame === 0)
    if (packet) packets.push(packet)
  }
  for (let packet = engine.drainEncoder(); packet; packet = engine.drainEncoder()) packets.push(packet)
  const bytes = concat(packets.map((packet) => packet.bytes))
  const sizes = packets.map((packet) => packet.bytes.length)
  let at = 0
  const samples = {
    count: FRAMES,
    offset: Float64Array.from(sizes, (size) => (at += size) - size),
    size: Uint32Array.from(sizes),
    dts: Float64Array.from({ length: FRAMES + 1 }, (_, i) => i),
    composition: Int32Array.from(packets, ({ pts }, i) => pts - i),
    sync: Uint8Array.from(packets, ({ key }) => (key ? 1 : 0)),
  }
  const stream = { decoder: 'h264', extradata: headers!, width: WIDTH, height: HEIGHT, tag: 0x31637661, bitsPerSample: 24, reorder: 2 }
  return { bytes, track: { stream, timescale: RATE, samples, rate: { num: RATE, den: 1 }, start: 0, isCounted: false, annexb: false } }
}

const { bytes, track } = film()
const collect = globalThis.gc ?? (() => undefined)
collect()
/** Without Wasm memories: of those only the part's own counts. */
const held = () => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
const before = held()
let most = before
const watch = setInterval(() => (most = Math.max(most, held())), 5)
const started = process.cpuUsage()
const options = { ...optionsFor(QUALITY, 'mp4'), progress: () => void (most = Math.max(most, held())) }
const cut = { from: 0, to: FRAMES, start: 0, end: Number.MAX_SAFE_INTEGER, frames: FRAMES }
const writer = new PartWriter(memorySink(Number.POSITIVE_INFINITY, 'part'))
const part = await encodePart({ source: memorySource(bytes, 'film'), track, cut, part: writer, options }, levelOf(QUALITY))
most = Math.max(most, held())
clearInterval(watch)
const { user, system } = process.cpuUsage(started)

const long = RATE * 600
const tenMinutes: PictureTrack = {
  ...track,
  samples: {
    count: long,
    offset: new Float64Array(long),
    size: new Uint32Array(long).fill(20_000),
    dts: Float64Array.from({ length: long + 1 }, (_, i) => i),
    composition: new Int32Array(long),
    sync: Uint8Array.from({ length: long }, (_, i) => (i % 250 === 0 ? 1 : 0)),
  },
}
const parts = cutFor(tenMinutes)
console.log(
  JSON.stringify({
    memoryMB: (most - before + part.memoryBytes) / 1e6,
    engineMB: part.memoryBytes / 1e6,
    cpuSeconds: (user + system) / 1e6 / FRAMES,
    parts: parts.length,
    longest: Math.max(...parts.map(({ frames }) => frames)),
    frames: part.quality.frames,
    ssim: part.quality.seconds.figures(1 / RATE)!.mean.ssim,
  }),
)
