/**
 * A process of its own: joins the parts of a film of two hours and verifies the result, from and to files behind the face of
 * R2, and prints as JSON what that took above what there was before: the most there was of buffers, and of buffers together with
 * the objects that were alive. Film and parts are ten seconds of noise again and again.
 */
import { mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MOV } from '../../../../../src/core/catalog/formats/film.ts'
import { box } from '../../../../../src/core/containers/isobmff/box.ts'
import type { NewTrack } from '../../../../../src/core/containers/isobmff/track-interleaving.ts'
import { layOutMovie, writeMovie } from '../../../../../src/core/containers/isobmff/write.ts'
import { type Analysis, analyse } from '../../../../../src/core/formats/film/analyse.ts'
import { cutByTime } from '../../../../../src/core/formats/film/cut.ts'
import { partsOf, runPart } from '../../../../../src/core/formats/film/film.ts'
import { joinParts } from '../../../../../src/core/formats/film/join.ts'
import { newSound } from '../../../../../src/core/formats/film/new-tracks.ts'
import { type PartFile, PartWriter, type PicturesHead, readParts, type SoundHead } from '../../../../../src/core/formats/film/part-file.ts'
import { emptyMovie } from '../../../../../src/core/formats/film/sample-table.ts'
import { verifyFilm } from '../../../../../src/core/formats/film/verify.ts'
import type { Codec, Options, Source } from '../../../../../src/core/model/codec.ts'
import { memorySink } from '../../../../../src/core/model/sink.ts'
import { memorySource } from '../../../../../src/core/model/source.ts'
import { openJob } from '../../../../../src/core/pipeline/job.ts'
import { PART_BYTES, r2Sink, r2Source } from '../../../../../src/service/store/blobs.ts'
import { BlockCache } from '../../../../../src/service/store/blocks.ts'
import { blockCacheBytes } from '../../../../../src/service/tasks/block-cache-size.ts'
import { noise, optionsFor } from '../../../../core/formats/media-fixtures.ts'

const [WIDTH, HEIGHT, RATE, SECONDS] = [32, 32, 30, 7200]
const [FRAME_BYTES, FRAMES] = [WIDTH * HEIGHT * 2, RATE * SECONDS]
const PART_SECONDS = 10
const SOUND = { hertz: 48_000, packets: Math.round((48_000 * SECONDS) / 1024), packetBytes: 200 }

const collect = globalThis.gc ?? (() => undefined)
/** Heap and buffers; Wasm memories are not in it. */
const held = () => {
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return { buffers: arrayBuffers, all: heapUsed + arrayBuffers }
}
const most = { buffers: 0, all: 0 }
let notes = 0
/** Objects that nobody holds any more go when the collector likes: they are counted after it came, which is once in a while. */
function note(): void {
  most.buffers = Math.max(most.buffers, held().buffers)
  if (notes++ % 100 !== 0) return
  collect()
  most.all = Math.max(most.all, held().all)
}

const folder = mkdtempSync(join(tmpdir(), 'film-join-'))
const pathOf = (key: string) => join(folder, key)
const later = () => new Promise((resolve) => setImmediate(resolve))
/** Requests for stretches of objects. */
let reads = 0
/** As much of R2 as jobs use, with files. */
const bucket = {
  async get(key: string, { range }: { range: { offset: number; length: number } }) {
    reads++
    await later()
    const bytes = new Uint8Array(Math.min(range.length, statSync(pathOf(key)).size - range.offset))
    readSync(opened(key), bytes, 0, bytes.length, range.offset)
    note()
    return { arrayBuffer: async () => bytes.buffer }
  },
  async put(key: string, bytes: Uint8Array) {
    writeSync(openSync(pathOf(key), 'w'), bytes)
  },
  async createMultipartUpload(key: string) {
    const file = openSync(pathOf(key), 'w')
    return {
      async uploadPart(number: number, bytes: Uint8Array) {
        note()
        await later()
        writeSync(file, bytes, 0, bytes.length, (number - 1) * PART_BYTES)
      },
      complete: later,
    }
  },
} as unknown as R2Bucket
const files = new Map<string, number>()
function opened(key: string): number {
  const file = files.get(key) ?? openSync(pathOf(key), 'r')
  files.set(key, file)
  return file
}

/** Pictures of noise (UYVY), the same every ten seconds, and packets of sound that is lean enough to be copied. */
async function writeFilm(): Promise<void> {
  const random = noise(3)
  const pictures = memorySource(
    Uint8Array.from({ length: FRAME_BYTES * RATE * PART_SECONDS }, () => 64 + random() * 128),
    'pictures',
  )
  const entry = new Uint8Array(78)
  const view = new DataView(entry.buffer)
  view.setUint16(6, 1) // data_reference_index
  view.setUint16(24, WIDTH)
  view.setUint16(26, HEIGHT)
  view.setUint16(74, 24) // depth
  const pieces = Array.from({ length: FRAMES }, (_, frame) => ({
    time: frame / RATE,
    size: FRAME_BYTES,
    samples: 1,
    from: pictures,
    offset: (frame % (PART_SECONDS * RATE)) * FRAME_BYTES,
  }))
  const { hertz, packets, packetBytes } = SOUND
  const movie = await emptyMovie(
    [
      { handler: 'vide', timescale: RATE, duration: FRAMES, width: WIDTH, height: HEIGHT },
      { handler: 'soun', timescale: hertz, duration: packets * 1024, width: 0, height: 0 },
    ],
    true,
    [],
  )
  const film = {
    description: box('2vuy', entry),
    timescale: RATE,
    sizes: new Uint32Array(FRAMES).fill(FRAME_BYTES),
    durations: new Float64Array(FRAMES).fill(1),
    compositions: undefined,
    sync: undefined,
    edits: undefined,
    pieces,
  }
  const head: SoundHead = {
    kind: 'sound',
    config: [0x11, 0x88],
    count: packets,
    hertz,
    channels: 1,
    delay: 0,
    samples: packets * 1024,
    signal: 0,
    noise: 0,
  }
  const file = {
    head,
    pts: new Float64Array(),
    keys: new Uint8Array(),
    seconds: new Float64Array(),
    sizes: new Uint32Array(packets).fill(packetBytes),
    source: memorySource(new Uint8Array(packets * packetBytes), 'sound'),
  }
  const sound = {
    ...newSound(movie, { track: movie.tracks[1]!, bitsPerSecond: 75_000 }, file, true),
    // Tracks take turns for every picture or two, as many programs write them.
    pieces: Array.from({ length: packets / 2 }, (_, i) => ({
      time: (i * 2048) / hertz,
      size: 2 * packetBytes,
      samples: 2,
      from: file.source,
      offset: i * 2 * packetBytes,
    })),
  }
  const plan = layOutMovie(
    pictures,
    movie,
    new Map<number, NewTrack>([
      [0, film],
      [1, sound],
    ]),
    movie.ftyp,
  )
  const sink = r2Sink(bucket, 'film', Number.POSITIVE_INFINITY, 'film', { patchable: false })
  await writeMovie(pictures, plan, sink, options)
  await sink.finish()
}

async function analysed(film: Source, settings: Options): Promise<Analysis> {
  const whole = await analyse(film, settings)
  const video = whole.video!
  // At sync samples, which all of these are, parts may be a quarter shorter.
  return { ...whole, video: { ...video, cuts: cutByTime(video.pictures.samples, RATE, PART_SECONDS / 0.75) } }
}

/** One part, encoded once, stands for all. */
async function writeParts(): Promise<number> {
  const film = r2Source(bucket, 'film', statSync(pathOf('film')).size, 'film.mov')
  const analysis = await analysed(film, options)
  using _ = analysis.movie
  const plans = partsOf(analysis)
  const made = memorySink(Number.POSITIVE_INFINITY, 'part')
  const receipt = await runPart(film, analysis, plans[0]!, made, options)
  const [{ head, pts, keys, seconds, sizes, source }] = (await readParts<PicturesHead>([
    { plan: plans[0]!, receipt, result: await made.finish() },
  ])) as [PartFile<PicturesHead>]
  for (const [index, { start, frames }] of analysis.video!.cuts.entries()) {
    if (frames !== head.count) throw new Error(`a part of ${frames} frames`)
    const sink = r2Sink(bucket, `part-${index}`, Number.POSITIVE_INFINITY, 'part', { patchable: false })
    const part = new PartWriter(sink)
    let at = 0
    for (const size of sizes) await part.write((await source.read((at += size) - size, size)).slice())
    const times = pts.map((time) => time + start)
    await part.finish(head, { pts: times, keys: keys.slice(), seconds: seconds.slice() })
    await sink.finish()
  }
  return plans.length
}

const options = { ...optionsFor('high', 'mov'), progress: note }
await writeFilm()
const parts = await writeParts()
const size = statSync(pathOf('film')).size

collect()
const before = held()
Object.assign(most, before)
const watch = setInterval(note, 5)
using blocks = new BlockCache(blockCacheBytes({ format: 'mov', originalSize: size }))
reads = 0
const film = r2Source(bucket, 'film', size, 'film.mov', blocks)
const openSink = async () => r2Sink(bucket, 'result', size, 'film.mov', { patchable: false, blockCache: blocks })
const joiner: Codec = {
  format: MOV,
  async compress(source, sink, settings) {
    const analysis = await analysed(source, settings)
    const finished = partsOf(analysis).map((plan) => {
      const key = `part-${plan.index}`
      return { plan, receipt: { bytes: 0, facts: {} }, result: r2Source(bucket, key, statSync(pathOf(key)).size, key, blocks) }
    })
    return joinParts(source, analysis, finished, sink, settings)
  },
  verify(original, result, outcome, settings) {
    blocks[Symbol.dispose]()
    return verifyFilm(original, result, outcome, settings)
  },
}
const pressed = await openJob(joiner, film, {}, options).whole(openSink)
note()
clearInterval(watch)
rmSync(folder, { recursive: true })
console.log(
  JSON.stringify({
    outcome: pressed.outcome,
    defect: 'defect' in pressed ? pressed.defect : undefined,
    resultMB: (pressed.result?.size ?? 0) / 1e6,
    parts,
    reads,
    buffersMB: (most.buffers - before.buffers) / 1e6,
    memoryMB: (most.all - before.all) / 1e6,
  }),
)
