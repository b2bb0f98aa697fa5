/** Compares a FLAC result with its original: every metadata block, every sample, every seek point. */
import { equalBytes } from '../../bytes/equal.ts'
import { isSmallerPicture } from '../../containers/xiph/picture.ts'
import type { Options, Outcome, Source, Verdict } from '../../model/codec.ts'
import { isCodecError } from '../../model/error.ts'
import { trailingDataDifference } from '../../model/trailing-data.ts'
import { type Frame, framesOf } from './decode.ts'
import { type FlacBlock, type FlacFile, PADDING, PICTURE, readFlac, SEEK_TABLE } from './file.ts'
import { parseSeekTable, type SeekPoint } from './seek-table.ts'
import { MAX_PICTURE_BYTES, PIECE_BYTES } from './tuning.ts'

interface Side {
  readonly source: Source
  readonly file: FlacFile
}

export async function verifyFlac(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const differs = (difference: string): Verdict => ({ equal: false, difference })
  if (outcome.kind === 'compressed' && outcome.loss) return differs('FLAC is lossless, but the receipt has a loss')
  try {
    const a = { source: original, file: await readFlac(original) }
    const b = { source: result, file: await readFlac(result) }
    const difference = (await headDifference(a, b)) ?? (await soundDifference(a, b, options))
    return difference === undefined ? { equal: true } : differs(difference)
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature')) return differs(error.message)
    throw error
  }
}

/** Compares everything in front of the frames, except padding, seek tables and the sizes of frames. */
async function headDifference(a: Side, b: Side): Promise<string | undefined> {
  const [before, after] = [a.file.info, b.file.info]
  for (const field of ['hertz', 'channels', 'bits'] as const)
    if (before[field] !== after[field]) return `STREAMINFO has ${field} ${after[field]} instead of ${before[field]}`
  if (before.samples > 0 && before.samples !== after.samples) return `STREAMINFO has ${after.samples} samples instead of ${before.samples}`
  if (before.md5 !== undefined && before.md5 !== after.md5) return 'STREAMINFO has another MD5'
  const front = (size: number): FlacBlock => ({ type: PADDING, offset: 0, size })
  if (!(await sameBytes(a, front(a.file.frontBytes), b, front(b.file.frontBytes)))) return 'the tags in front of the stream changed'
  const [left, right] = [contentOf(a.file), contentOf(b.file)]
  if (left.length !== right.length) return `${left.length} metadata blocks became ${right.length}`
  for (const [i, block] of left.entries()) {
    const other = right[i]!
    const isSame = block.type === other.type && ((await sameBytes(a, block, b, other)) || (await samePicture(a, block, b, other)))
    if (!isSame) return `metadata block ${i} of type ${block.type} changed`
  }
  return undefined
}

const contentOf = ({ blocks }: FlacFile) => blocks.filter(({ type }) => type !== PADDING && type !== SEEK_TABLE)

async function sameBytes(a: Side, one: FlacBlock, b: Side, other: FlacBlock): Promise<boolean> {
  if (one.size !== other.size) return false
  for (let at = 0; at < one.size; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, one.size - at)
    const [x, y] = await Promise.all([a.source.read(one.offset + at, length), b.source.read(other.offset + at, length)])
    if (!equalBytes(x, y)) return false
  }
  return true
}

/** True for two pictures with equal facts. The codec of the picture has compared its pixels. */
async function samePicture(a: Side, one: FlacBlock, b: Side, other: FlacBlock): Promise<boolean> {
  if (one.type !== PICTURE || Math.max(one.size, other.size) > MAX_PICTURE_BYTES) return false
  const [x, y] = await Promise.all([a.source.read(one.offset, one.size), b.source.read(other.offset, other.size)])
  return isSmallerPicture(x, y)
}

/** Decodes both files and compares every sample. */
async function soundDifference(a: Side, b: Side, options: Options): Promise<string | undefined> {
  const points = await pointsToCheck(a, b)
  const [left, right] = [framesOf(a.source, a.file, options), framesOf(b.source, b.file, options)]
  try {
    const seeks = new SeekCheck(points, b.file.info.channels)
    let [x, y] = [await left.next(), await right.next()]
    let [xAt, yAt, compared] = [0, 0, 0]
    while (!x.done && !y.done) {
      const [one, other] = [x.value.samples, y.value.samples]
      const count = Math.min(one.length - xAt, other.length - yAt)
      for (let i = 0; i < count; i++) if (one[xAt + i] !== other[yAt + i]) return `sample ${compared + i} differs`
      xAt += count
      yAt += count
      compared += count
      if (yAt === other.length) {
        seeks.add(y.value)
        ;[y, yAt] = [await right.next(), 0]
      }
      if (xAt === one.length) {
        options.progress(0.6 + (0.4 * x.value.end) / a.source.size)
        ;[x, xAt] = [await left.next(), 0]
      }
    }
    if (!x.done || !y.done) return `the ${x.done ? 'result' : 'original'} has more samples`
    return seeks.difference ?? (await trailingDataDifference(a.source, x.value, b.source, y.value))
  } finally {
    await left.return(0)
    await right.return(0)
  }
}

/** Seek points of the result. None if its table and its frames were copied, because the original's table may be wrong. */
async function pointsToCheck(a: Side, b: Side): Promise<SeekPoint[]> {
  const tables = (side: Side) => side.file.blocks.filter(({ type }) => type === SEEK_TABLE)
  const [before, after] = [tables(a), tables(b)]
  const isCopied =
    a.source.size - a.file.framesOffset === b.source.size - b.file.framesOffset &&
    before.length === after.length &&
    (await Promise.all(before.map((table, i) => sameBytes(a, table, b, after[i]!)))).every(Boolean)
  if (isCopied) return []
  const points = await Promise.all(after.map(async ({ offset, size }) => parseSeekTable(await b.source.read(offset, size))))
  return points.flat().sort((one, other) => one.sample - other.sample)
}

/** Checks that every seek point leads to a frame. */
class SeekCheck {
  readonly #points: readonly SeekPoint[]
  readonly #channels: number
  #next = 0
  #sample = 0
  #wrong: SeekPoint | undefined

  constructor(points: readonly SeekPoint[], channels: number) {
    this.#points = points
    this.#channels = channels
  }

  add({ samples, offset }: Frame): void {
    const count = samples.length / this.#channels
    for (let point = this.#points[this.#next]; point && point.sample < this.#sample + count; point = this.#points[++this.#next])
      if (point.sample !== this.#sample || point.offset !== offset || point.samples !== count) this.#wrong ??= point
    this.#sample += count
  }

  get difference(): string | undefined {
    const wrong = this.#wrong ?? this.#points[this.#next]
    return wrong && `the seek point of sample ${wrong.sample} leads to no frame`
  }
}
