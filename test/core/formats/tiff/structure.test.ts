import { describe, expect, test } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { tiff } from '../../../../src/core/formats/tiff/tiff.ts'
import { memorySink } from '../../../../src/core/model/sink.ts'
import { memorySource, readAll } from '../../../../src/core/model/source.ts'
import { openJob } from '../../../../src/core/pipeline/job.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { optionsFor } from '../media-fixtures.ts'

/** A little-endian TIFF built piece by piece. Links are set once all offsets are known. */
class Draft {
  #parts: Uint8Array[] = [Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0)]
  #size = 8

  add(bytes: Uint8Array): number {
    const even = this.#size + (this.#size & 1)
    this.#parts.push(new Uint8Array(even - this.#size), bytes)
    this.#size = even + bytes.length
    return even
  }

  /** Adds a grey gradient and its directory, with further fields of one LONG each. @returns offset of the directory */
  page(side: number, fields: readonly [tag: number, value: number][] = []): number {
    const pixels = Uint8Array.from({ length: side * side }, (_, i) => 60 + (i % side) * 2)
    const strip = this.add(pixels)
    const numbers: [number, number][] = [
      [256, side],
      [257, side],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, strip],
      [277, 1],
      [278, side],
      [279, side * side],
      ...fields,
    ]
    numbers.sort(([a], [b]) => a - b)
    const directory = new DataView(new ArrayBuffer(2 + numbers.length * 12 + 4))
    directory.setUint16(0, numbers.length, true)
    for (const [i, [tag, value]] of numbers.entries()) {
      directory.setUint16(2 + i * 12, tag, true)
      directory.setUint16(4 + i * 12, 4, true)
      directory.setUint32(6 + i * 12, 1, true)
      directory.setUint32(10 + i * 12, value, true)
    }
    return this.add(new Uint8Array(directory.buffer))
  }

  offsets(...values: number[]): number {
    return this.add(new Uint8Array(Uint32Array.from(values).buffer))
  }

  finish(first: number): Uint8Array {
    const file = concat(this.#parts)
    new DataView(file.buffer).setUint32(4, first, true)
    return file
  }
}

const view = (file: Uint8Array) => new DataView(file.buffer, file.byteOffset, file.byteLength)

function setNext(file: Uint8Array, directory: number, to: number): void {
  view(file).setUint32(directory + 2 + view(file).getUint16(directory, true) * 12, to, true)
}

/** Sets a field to `count` offsets at `value`, or to `value` itself. */
function setField(file: Uint8Array, directory: number, tag: number, count: number, value: number): void {
  for (let i = 0; i < view(file).getUint16(directory, true); i++) {
    const at = directory + 2 + i * 12
    if (view(file).getUint16(at, true) !== tag) continue
    view(file).setUint32(at + 4, count, true)
    view(file).setUint32(at + 8, value, true)
  }
}

/** Independent reader: widths of the directory chain at `at` and of its SubIFDs, level by level. */
function widths(file: Uint8Array, at: number): { width: number; below: number[][] }[] {
  const found: ReturnType<typeof widths> = []
  for (let hops = 0; at !== 0 && hops < 20; hops++) {
    const fields = new Map<number, { count: number; value: number }>()
    const count = view(file).getUint16(at, true)
    for (let i = 0; i < count; i++) {
      const field = at + 2 + i * 12
      const short = view(file).getUint16(field + 2, true) === 3
      const value = short ? view(file).getUint16(field + 8, true) : view(file).getUint32(field + 8, true)
      fields.set(view(file).getUint16(field, true), { count: view(file).getUint32(field + 4, true), value })
    }
    const subs = fields.get(330)
    const starts = !subs
      ? []
      : subs.count === 1
        ? [subs.value]
        : Array.from({ length: subs.count }, (_, i) => view(file).getUint32(subs.value + i * 4, true))
    found.push({ width: fields.get(256)!.value, below: starts.map((start) => widths(file, start).map(({ width }) => width)) })
    at = view(file).getUint32(at + 2 + count * 12, true)
  }
  return found
}

const chainOf = (file: Uint8Array) => widths(file, view(file).getUint32(4, true))

async function pack(file: Uint8Array) {
  const options = optionsFor('medium', 'tiff')
  const { outcome, result, ...rest } = await openJob(tiff, memorySource(file, 'a.tif'), {}, options).whole(async () =>
    memorySink(file.length, 'a.tif'),
  )
  expect((rest as { defect?: string }).defect).toBeUndefined()
  return { outcome, bytes: result ? await readAll(result) : file }
}

/** A picture with three levels below it, and a second picture. Each level links to the next, as Bio-Formats and tifffile write it. */
function pyramid(): { file: Uint8Array; first: number; second: number; levels: number[] } {
  const draft = new Draft()
  const levels = [64, 48, 32].map((side) => draft.page(side))
  const subIfds = draft.offsets(...levels)
  const first = draft.page(96, [[330, 0]])
  const second = draft.page(80)
  const file = draft.finish(first)
  setField(file, first, 330, levels.length, subIfds)
  for (const [i, level] of levels.entries()) setNext(file, level, levels[i + 1] ?? 0)
  setNext(file, first, second)
  return { file, first, second, levels }
}

describe('directories that several links lead to', () => {
  test('keeps all pyramid levels that link to each other, and their links', async () => {
    const { file } = pyramid()
    const { outcome, bytes } = await pack(file)
    expect(outcome.kind).toBe('compressed')
    expect(chainOf(file)).toEqual([
      { width: 96, below: [[64, 48, 32], [48, 32], [32]] },
      { width: 80, below: [] },
    ])
    expect(chainOf(bytes)).toEqual(chainOf(file))
  })

  test('keeps levels that only another level links to', async () => {
    const { file, first, levels } = pyramid()
    setField(file, first, 330, 1, levels[0]!)
    const { outcome, bytes } = await pack(file)
    expect(outcome.kind).toBe('compressed')
    expect(chainOf(bytes)[0]).toEqual({ width: 96, below: [[64, 48, 32]] })
  })

  test('keeps levels that are also in the main chain', async () => {
    const { file, second, levels } = pyramid()
    setNext(file, second, levels[1]!)
    const { outcome, bytes } = await pack(file)
    expect(outcome.kind).toBe('compressed')
    expect(chainOf(bytes).map(({ width }) => width)).toEqual([96, 80, 48, 32])
    expect(chainOf(bytes)[0]!.below).toEqual([[64, 48, 32], [48, 32], [32]])
  })

  test('keeps Exif that two pictures share', async () => {
    const draft = new Draft()
    const exif = draft.page(8)
    const [first, second] = [draft.page(96, [[34665, exif]]), draft.page(80, [[34665, exif]])]
    const file = draft.finish(first)
    setNext(file, first, second)
    expect((await pack(file)).outcome.kind).toBe('compressed')
  })

  test.each([
    'the chain leads back',
    'a level leads back to its picture',
    'levels lead in a circle',
    'a picture is below itself',
  ])('reports a loop of directories as damage: %s', async (which) => {
    const { file, first, second, levels } = pyramid()
    if (which === 'the chain leads back') setNext(file, second, first)
    if (which === 'a level leads back to its picture') setNext(file, levels[2]!, first)
    if (which === 'levels lead in a circle') setNext(file, levels[2]!, levels[0]!)
    if (which === 'a picture is below itself') setField(file, first, 330, 1, first)
    expect(inEnglish((await pack(file)).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: expect.stringContaining('loop'),
    })
  })

  test('handles very many links to the same directories in linear time', async () => {
    const draft = new Draft()
    const levels = Array.from({ length: 400 }, () => draft.page(4))
    const subIfds = draft.offsets(...levels)
    const first = draft.page(200, [[330, 0]])
    const file = draft.finish(first)
    setField(file, first, 330, levels.length, subIfds)
    for (const [i, level] of levels.entries()) setNext(file, level, levels[i + 1] ?? 0)
    expect((await pack(file)).outcome.kind).toBe('compressed')
  })
})

describe('links without a valid directory', () => {
  test.each([
    ['beyond the end of the file', 0x00ffffff],
    ['to the very end', -1],
    ['to a directory of no entries', -2],
  ])('a next directory %s: keeps all pictures and reports the link in the receipt', async (_, to) => {
    const draft = new Draft()
    const first = draft.page(96)
    const second = draft.page(80)
    const empty = draft.add(new Uint8Array(8))
    const file = draft.finish(first)
    setNext(file, first, second)
    setNext(file, second, to === -1 ? file.length : to === -2 ? empty : to)
    const { outcome, bytes } = await pack(file)
    const place = to === -1 ? file.length : to === -2 ? empty : to
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([`dead link removed (next directory at byte ${place}): no directory exists at that offset`]),
    })
    expect(chainOf(bytes).map(({ width }) => width)).toEqual([96, 80])
  })

  test('reports the only directory beyond the end of the file as damage', async () => {
    const draft = new Draft()
    draft.page(96)
    expect((await pack(draft.finish(0xffffff))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  test('reports a level beyond the end of the file as damage, because it would be a picture', async () => {
    const { file, first } = pyramid()
    setField(file, first, 330, 1, 0xffffff)
    expect((await pack(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  test('drops Exif beyond the end of the file and reports it in the receipt', async () => {
    const draft = new Draft()
    const { outcome } = await pack(draft.finish(draft.page(96, [[34665, 0xffffff]])))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining(['dead link removed (tag 34665 at byte 16777215): no directory exists at that offset']),
    })
  })

  test('returns the file unchanged if the pictures of a missing directory are present', async () => {
    const draft = new Draft()
    const first = draft.page(96)
    const lost = draft.page(60)
    const third = draft.page(80)
    const file = draft.finish(first)
    setNext(file, first, third)
    setNext(file, third, 0xffffff)
    view(file).setUint16(lost, 0, true)
    expect((await pack(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })
})

describe('bytes that no directory refers to', () => {
  const words = (text: string) => new TextEncoder().encode(text)

  test.each([1, 3, 16, 17, 920, 1024])('keeps %i bytes after the picture', async (count) => {
    const draft = new Draft()
    const file = draft.finish(draft.page(96))
    const tail = Uint8Array.from({ length: count }, (_, i) => 1 + (i % 255))
    const { outcome, bytes } = await pack(concat([file, tail]))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([`${count} trailing bytes after the end of the file format kept`]),
    })
    expect(bytes.slice(-count)).toEqual(tail)
  })

  test('returns a file with more bytes after the picture unchanged', async () => {
    const draft = new Draft()
    const file = concat([draft.finish(draft.page(96)), new Uint8Array(200_000), words('far away')])
    expect((await pack(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  test('drops zeros after the picture and reports it in the receipt', async () => {
    const draft = new Draft()
    const { outcome } = await pack(concat([draft.finish(draft.page(96)), new Uint8Array(5000)]))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining(['5000 trailing zero bytes after the end removed']),
    })
  })

  test('drops bytes between the directories and reports it in the receipt', async () => {
    const draft = new Draft()
    draft.add(words('what an editor left behind when it wrote the directory anew'))
    const { outcome } = await pack(draft.finish(draft.page(96)))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'compressed',
      steps: expect.arrayContaining([expect.stringMatching(/^\d\d bytes removed that no directory refers to$/)]),
    })
  })

  test.each([
    'between the directories',
    'behind them',
  ])('returns the file unchanged if a private field refers to bytes %s', async (where) => {
    const draft = new Draft()
    const hidden = words('settings of an instrument, found by their offset')
    const at = where === 'behind them' ? 0 : draft.add(hidden)
    const first = draft.page(96, [[65000, at]])
    const file = draft.finish(first)
    if (where === 'behind them') setField(file, first, 65000, 1, file.length)
    expect(inEnglish((await pack(where === 'behind them' ? concat([file, hidden]) : file)).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: 'private tag 65000 may refer to bytes that no directory lists, which a rewrite would lose',
    })
  })

  test("returns a file with Micro-Manager's offsets in the header unchanged", async () => {
    const draft = new Draft()
    draft.add(new Uint8Array(Uint32Array.of(54_773_648, 4000, 483_765_892, 0, 99_384_722, 0, 2_355_492, 20).buffer))
    expect((await pack(draft.finish(draft.page(96)))).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })
})
