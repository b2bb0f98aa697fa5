/**
 * Recompresses a TIFF file without loss. Uncompressed or weakly compressed strips and tiles get Deflate with the best predictor; all other
 * data is copied. Directories are written last, except in files that begin with them (COG): those keep their order, tile by tile.
 */

import { discard } from '../../../../wasm/memories/discard.ts'
import { encodeGroup4 } from '../../bytes/ccitt/encode.ts'
import { BEST_LEVEL, SAMPLES_CLOSE, SAMPLES_FAST, zlibCompress } from '../../bytes/deflate.ts'
import { LevelChoice } from '../../bytes/level-choice.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { GEOTIFF } from '../../catalog/formats/tiff.ts'
import { copiesInput, decodeRows, decodeTile, isSparse, planeRows } from '../../containers/tiff/decode.ts'
import type { TiffDirectory, TiffFile } from '../../containers/tiff/directory.ts'
import { COMPRESSION, decodedBytes, isDeflate, type PixelStorage, readPixels, rowsOf } from '../../containers/tiff/pixels.ts'
import { applyPredictor } from '../../containers/tiff/predictor.ts'
import { readTiff } from '../../containers/tiff/read-directories.ts'
import { distinct, type Message, message } from '../../i18n/message.ts'
import { type Options, type Outcome, PATCHABLE_BYTES, type Sink, type Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { copyTrailingData, trailingDataSteps } from '../../model/trailing-data.ts'
import { jpegStreamsOf } from './blobs.ts'
import { type CogMetadata, cogMetadataOf } from './cog-metadata.ts'
import { optimisedChunk } from './jpeg-chunks.ts'
import { type ChunkPlacement, type DirectoryChanges, DirectoryRegion, newDirectories } from './layout.ts'
import { type PicturePlan, planPixels } from './plan.ts'
import { checkHiddenContent } from './refuse.ts'
import { cutRows, hasNewLayout } from './strip-layout.ts'
import { TILES } from './tuning.ts'
import { unreferencedBytesOf, unreferencedBytesSteps } from './unnamed.ts'

export async function transcodeTiff(source: Source, sink: Sink, options: Options, format: string): Promise<Outcome> {
  const file = await readTiff(source, format)
  const pictures = new Map<TiffDirectory, PixelStorage>()
  for (const directory of file.all) {
    options.signal.throwIfAborted()
    const pixels = await readPixels(file, directory)
    if (pixels) pictures.set(directory, pixels)
  }
  if (pictures.size === 0) throw malformed(format, file.chain[0]!.offset, 'no_picture_in_any_directory')
  await checkHiddenContent(file, [...pictures.values()])
  const unnamed = await unreferencedBytesOf(file, [...pictures.values()])

  file.source.freesWindows = [...pictures.values()].every(copiesInput)

  const total = [...pictures.values()].reduce((sum, pixels) => sum + (pixels.decodable ? decodedBytes(pixels) : 0), 0)
  const hasDirectoriesFirst = directoriesFirst(file, [...pictures.values()])
  const ghost = hasDirectoriesFirst ? await cogMetadataOf(file) : undefined
  // All GeoTIFF readers support tiles; baseline TIFF readers support strips only. A COG interleaves overviews and pixels, so its tiles
  // stay.
  const mayTile = format === GEOTIFF.id && (!hasDirectoriesFirst || (pictures.size === 1 && !ghost))
  const scope = {
    totalBytes: total,
    mayChangeStrips: !hasDirectoriesFirst,
    tileBytes: mayTile ? options.memoryBudget * TILES.heldShare : 0,
  }
  const plans = new Map<TiffDirectory, PicturePlan>()
  for (const [directory, pixels] of pictures) {
    options.signal.throwIfAborted()
    plans.set(directory, await planPixels(file, pixels, scope))
  }
  if ([...plans.values()].every((plan) => plan.kind === 'copy'))
    return { kind: 'unchanged', reason: 'no_gain', detail: message('every_picture_compressed_well') }

  const job = new Job(file, sink, options, plans, total)
  if (hasDirectoriesFirst) await job.directoriesFirst(ghost)
  else await job.directoriesLast()
  if (!unnamed.tail.isFilling) await copyTrailingData(source, unnamed.end, sink)
  const removed = [...file.brokenLinks.map((link) => message('dead_link_removed', { link })), ...unreferencedBytesSteps(unnamed)]
  const tail = unnamed.tail.isFilling ? [] : trailingDataSteps(source, unnamed.end)
  return { kind: 'compressed', steps: [...stepsOf([...plans.values()], job), ...removed, ...tail] }
}

function stepsOf(plans: readonly PicturePlan[], job: Job): Message[] {
  const recoded = plans.filter((plan) => plan.kind === 'recode')
  const steps = recoded.map((plan) =>
    plan.coding === 'group4' ? message('ccitt_group_4') : message(DEFLATED[plan.predictor], { levels: levelNames(job.levelsOf(plan)) }),
  )
  const anew = recoded.filter((plan) => hasNewLayout(plan.pixels, plan.cut))
  if (anew.some(({ cut }) => !cut.tiled)) steps.push(message('strips_resized'))
  const tiles = anew.filter(({ cut }) => cut.tiled)
  for (const { cut, pixels } of tiles)
    steps.push(message(pixels.tiled ? 'tiles_became_tiles' : 'strips_became_tiles', { width: cut.chunkWidth, height: cut.chunkHeight }))
  const optimised = plans.filter((plan) => plan.kind === 'optimise').length
  if (optimised > 0) steps.push(message('jpeg_same_coefficients'))
  const copied = plans.length - recoded.length - optimised
  if (copied > 0) steps.push(message('pictures_copied', { copied, pictures: plans.length }))
  return distinct(steps)
}

const DEFLATED = { 1: 'deflate_without_predictor', 2: 'deflate_with_differencing', 3: 'deflate_with_float_predictor' } as const

function levelNames(levels: readonly number[]): Message {
  const names = levels.map((level) =>
    level === SAMPLES_FAST ? message('by_price') : level === SAMPLES_CLOSE ? message('near_optimal') : message('at_level', { level }),
  )
  return names.reduceRight((other, one) => message('either', { one, other }))
}

/** True if all directories come before all pixels and the pixels are tiles: the order that readers over a network rely on. */
function directoriesFirst(file: TiffFile, pictures: readonly PixelStorage[]): boolean {
  if (pictures.some((pixels) => !pixels.tiled)) return false
  const firstChunk = pictures.reduce(
    (least, { offsets, lengths }) => offsets.reduce((low, offset, i) => (lengths[i] === 0 ? low : Math.min(low, offset)), least),
    Number.POSITIVE_INFINITY,
  )
  return file.all.every((directory) => directory.offset < firstChunk)
}

class Job {
  readonly #file: TiffFile
  readonly #sink: Sink
  readonly #options: Options
  readonly #plans: ReadonlyMap<TiffDirectory, PicturePlan>
  readonly #placed = new Map<TiffDirectory, ChunkPlacement>()
  readonly #blobs = new Map<TiffDirectory, Float64Array>()
  /** New offsets of the JPEG streams of each directory. */
  readonly #copied = new Map<TiffDirectory, { offset: number; length: number; to: number }[]>()
  readonly #total: number
  readonly #choices = new Map<PicturePlan, { readonly choice: LevelChoice; readonly used: Set<number> }>()
  #done = 0

  constructor(file: TiffFile, sink: Sink, options: Options, plans: ReadonlyMap<TiffDirectory, PicturePlan>, total: number) {
    this.#file = file
    this.#sink = sink
    this.#options = options
    this.#plans = plans
    this.#total = total
    for (const [directory, plan] of plans) {
      const chunks = plan.kind === 'recode' ? plan.cut.chunksPerPlane * plan.pixels.planes : plan.pixels.offsets.length
      this.#placed.set(directory, { offsets: new Float64Array(chunks), lengths: new Float64Array(chunks) })
    }
  }

  /** Writes the header, then the pixels of each picture, then the directories. */
  async directoriesLast(): Promise<void> {
    await this.#sink.write((await this.#file.source.read(0, this.#file.headerBytes)).slice())
    for (const directory of this.#file.all) {
      await this.#copyBlobs(directory)
      const plan = this.#plans.get(directory)
      if (!plan) continue
      if (plan.kind === 'recode' && hasNewLayout(plan.pixels, plan.cut)) await this.#recut(directory, plan)
      else for (let index = 0; index < plan.pixels.offsets.length; index++) await this.#chunk(directory, plan, index, undefined)
    }
    const changes = this.#changes(true)
    const region = new DirectoryRegion(this.#file, newDirectories(this.#file, changes), this.#sink.written)
    await region.write(this.#sink)
    this.#patchFirst(region.first)
  }

  /** Writes the header, GDAL's structural metadata, directories with placeholder numbers, then the pixels in source order. */
  async directoriesFirst(ghost: CogMetadata | undefined): Promise<void> {
    await this.#sink.write((await this.#file.source.read(0, this.#file.headerBytes)).slice())
    if (ghost) await this.#sink.write(ghost.bytes)
    for (const directory of this.#file.all) {
      const blobs = await jpegStreamsOf(this.#file, directory)
      if (blobs.length > 0) this.#blobs.set(directory, new Float64Array(blobs.length))
    }
    const changes = this.#changes(false)
    const region = new DirectoryRegion(this.#file, newDirectories(this.#file, changes), this.#sink.written)
    if (region.end > PATCHABLE_BYTES) throw overBudget(message('bytes_of_directories_before_pixels', { end: region.end }))
    await region.write(this.#sink)
    this.#patchFirst(region.first)
    for (const directory of this.#blobs.keys()) await this.#copyBlobs(directory)
    for (const [directory, plan] of this.#plans) {
      if (plan.kind === 'recode' && hasNewLayout(plan.pixels, plan.cut)) await this.#recut(directory, plan)
    }
    for (const { directory, plan, index } of this.#inSourceOrder()) await this.#chunk(directory, plan, index, ghost)
    region.patch(this.#sink)
  }

  #changes(shortCounts: boolean): DirectoryChanges {
    const wideOffsets = this.#file.big && this.#file.source.size > 0xffffffff
    return { plans: this.#plans, placed: this.#placed, blobs: this.#blobs, hasWideOffsets: wideOffsets, hasShortCounts: shortCounts }
  }

  #patchFirst(offset: number): void {
    const first = ByteWriter.growing(this.#file.littleEndian)
    if (this.#file.big) this.#sink.patch(8, first.u64(offset).finish())
    else this.#sink.patch(4, first.u32(offset).finish())
  }

  #inSourceOrder(): { directory: TiffDirectory; plan: PicturePlan; index: number }[] {
    const kept = [...this.#plans].filter(([, plan]) => plan.kind !== 'recode' || !hasNewLayout(plan.pixels, plan.cut))
    const chunks = kept.flatMap(([directory, plan]) => [...plan.pixels.offsets.keys()].map((index) => ({ directory, plan, index })))
    return chunks.sort((a, b) => a.plan.pixels.offsets[a.index]! - b.plan.pixels.offsets[b.index]!)
  }

  async #copyBlobs(directory: TiffDirectory): Promise<void> {
    const blobs = await jpegStreamsOf(this.#file, directory)
    if (blobs.length === 0) return
    // Updates the existing array: in a file that begins with directories, the layout already refers to it.
    const offsets = this.#blobs.get(directory) ?? new Float64Array(blobs.length)
    this.#blobs.set(directory, offsets)
    const copied = blobs.map((blob) => ({ ...blob, to: 0 }))
    this.#copied.set(directory, copied)
    for (const [i, blob] of copied.entries()) {
      blob.to = offsets[i] = this.#sink.written
      await this.#copy(blob.offset, blob.length)
    }
  }

  /** Writes one strip or tile that keeps its area of the picture. */
  async #chunk(directory: TiffDirectory, plan: PicturePlan, index: number, ghost: CogMetadata | undefined): Promise<void> {
    const { pixels } = plan
    const placed = this.#placed.get(directory)!
    if (isSparse(pixels, index)) return
    const offset = pixels.offsets[index]!
    const inside = this.#insideBlob(directory, offset)
    const recoded = inside === undefined ? await this.#recoded(plan, index) : undefined
    const length = recoded ? recoded.length : pixels.lengths[index]!
    placed.lengths[index] = length
    if (inside !== undefined) {
      placed.offsets[index] = inside
      return
    }
    const tail = recoded ? recoded.slice(-4) : (await this.#file.source.read(offset + Math.max(0, length - 4), 4)).slice()
    if (ghost?.hasLengthBefore) await this.#sink.write(uint32(length))
    placed.offsets[index] = this.#sink.written
    if (recoded) await this.#sink.write(recoded)
    else await this.#copy(offset, length)
    if (ghost?.hasRepeatedTail) await this.#sink.write(tail)
  }

  /**
   * New offset of a strip inside the JPEG stream of tag 513, which is already copied (JPEG as in TIFF 6.0). `undefined`: the strip is
   * elsewhere.
   */
  #insideBlob(directory: TiffDirectory, offset: number): number | undefined {
    const blob = this.#copied.get(directory)?.find((copied) => offset >= copied.offset && offset < copied.offset + copied.length)
    return blob && blob.to + offset - blob.offset
  }

  /** New bytes of a strip or tile. `undefined`: it is copied. */
  async #recoded(plan: PicturePlan, index: number): Promise<Uint8Array | undefined> {
    if (plan.kind === 'recode') return await this.#recode(plan, index)
    if (plan.kind === 'copy') return undefined
    this.#options.signal.throwIfAborted()
    await yieldToEventLoop()
    return await optimisedChunk(this.#file, plan.pixels, index)
  }

  async #recode(plan: Extract<PicturePlan, { kind: 'recode' }>, index: number): Promise<Uint8Array> {
    const { pixels } = plan
    const raw = pixels.tiled ? (await decodeTile(this.#file, pixels, index))! : await this.#strip(pixels, index)
    const compressed = await this.#compress(raw, plan)
    discard(raw)
    // Keeps the stored stream if it is not larger and means the same to readers.
    const same =
      plan.coding === 'group4'
        ? pixels.compression === COMPRESSION.faxGroup4 && !pixels.mirrored
        : isDeflate(pixels.compression) && pixels.predictor === plan.predictor && !pixels.mirrored
    if (same && pixels.lengths[index]! <= compressed.length) {
      return (await this.#file.source.read(pixels.offsets[index]!, pixels.lengths[index]!)).slice()
    }
    return compressed
  }

  async #strip(pixels: PixelStorage, index: number): Promise<Uint8Array<ArrayBuffer>> {
    const length = pixels.rowBytes * rowsOf(pixels, index)
    let strip: Uint8Array<ArrayBuffer> | undefined
    let filled = 0
    for await (const block of decodeRows(this.#file, pixels, index)) {
      if (block.length === length) return block
      strip ??= new Uint8Array(length)
      strip.set(block, filled)
      filled += block.length
      discard(block)
    }
    return strip ?? new Uint8Array(length)
  }

  /** Writes a picture in a new strip or tile layout, from the rows of each plane. */
  async #recut(directory: TiffDirectory, plan: Extract<PicturePlan, { kind: 'recode' }>): Promise<void> {
    const { pixels, cut } = plan
    const placed = this.#placed.get(directory)!
    let index = 0
    for (let plane = 0; plane < pixels.planes; plane++) {
      for await (const raw of cutRows(planeRows(this.#file, pixels, plane), pixels, cut)) {
        const compressed = await this.#compress(raw, plan)
        discard(raw)
        placed.offsets[index] = this.#sink.written
        placed.lengths[index++] = compressed.length
        await this.#sink.write(compressed)
      }
    }
  }

  async #compress(raw: Uint8Array, plan: Extract<PicturePlan, { kind: 'recode' }>): Promise<Uint8Array> {
    this.#options.signal.throwIfAborted()
    this.#done += raw.length
    this.#options.progress(0.8 * Math.min(1, this.#done / this.#total))
    if (plan.coding === 'group4') {
      await yieldToEventLoop()
      return encodeGroup4(raw, plan.pixels.chunkWidth, Number.MAX_SAFE_INTEGER)!
    }
    if (plan.predictor !== 1) applyPredictor(raw, { ...plan.pixels, ...plan.cut, littleEndian: this.#file.littleEndian }, plan.predictor)
    const tried = plan.levels.map((level) => (level === BEST_LEVEL ? this.#whereItPays(plan, raw) : zlibCompress(raw, level)))
    await yieldToEventLoop()
    const least = tried.reduce((a, b) => (b.length < a.length ? b : a))
    for (const one of tried) if (one !== least) discard(one)
    return least
  }

  #whereItPays(plan: Extract<PicturePlan, { kind: 'recode' }>, raw: Uint8Array): Uint8Array {
    const { choice, used } = this.#choices.get(plan) ?? {
      choice: new LevelChoice(plan.share, this.#options.effort === 'best'),
      used: new Set<number>(),
    }
    this.#choices.set(plan, { choice, used })
    return choice.compress(raw, (bytes, level) => {
      used.add(level)
      return zlibCompress(bytes, level)
    })
  }

  /** Deflate levels with which the strips or tiles of a picture were tried. */
  levelsOf(plan: Extract<PicturePlan, { kind: 'recode' }>): readonly number[] {
    const used = this.#choices.get(plan)?.used
    return plan.levels.flatMap((level) => (level === BEST_LEVEL && used ? [...used].sort((a, b) => a - b) : [level]))
  }

  async #copy(offset: number, length: number): Promise<void> {
    const step = 1024 * 1024
    for (let done = 0; done < length; done += step) {
      this.#options.signal.throwIfAborted()
      const piece = await this.#file.source.read(offset + done, Math.min(step, length - done))
      await this.#sink.write(piece.slice())
    }
  }
}

const uint32 = (value: number) => new ByteWriter(new Uint8Array(4), true).u32(value).finish()
