import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { LevelChoice } from '../../../src/core/bytes/level-choice.ts'
import { hdf5, netcdf } from '../../../src/core/formats/hdf5/hdf5.ts'
import { PagedFile } from '../../../src/core/formats/hdf5/paged-file.ts'
import { rangeCache } from '../../../src/core/formats/hdf5/range-cache.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import { compareHdf5, rewriteHdf5 } from '../../../wasm/hdf5/hdf5.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { hdf5File } from '../../support/science-files.ts'
import { IS_THOROUGH, roundsOf } from '../../support/thorough.ts'

const folder = (id: string) => join(import.meta.dirname, '../../fixtures', id)
const fixture = (id: string, name: string) => new Uint8Array(readFileSync(join(folder(id), name)))
const SOUND = readdirSync(folder('hdf5')).filter((name) => name.startsWith('everything'))
const press = (bytes: Uint8Array, codec: Codec = hdf5) => pressFile(codec, bytes, 'a.h5')

const readable = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: async (offset: number, length: number) => bytes.slice(offset, offset + length),
})
/** Counts how often a time (seconds since 1970, 32 bits) occurs in a file. */
const timesIn = (file: Uint8Array, time: number) => {
  const wanted = Buffer.alloc(4)
  wanted.writeUInt32LE(time)
  return Buffer.from(file).toString('latin1').split(wanted.toString('latin1')).length - 1
}

/** Offset of the header of the first group in `hdf5File`. */
const GROUP_AT = 0x320
/** Offsets of chunks in the fixtures. */
const LZF_CHUNK_AT = 4016
const BLOSC_CHUNK_AT = 3496
/** Offset of the dataset of references in its fixture. */
const SHORT_REFERENCES_AT = 14048

/** True if the engine finds no difference between both files. */
async function same(a: Uint8Array, b: Uint8Array) {
  const file = await rangeCache(readable(b), true)
  const output = { ...file, write: () => false, resize: () => undefined }
  return (await compareHdf5({ input: await rangeCache(readable(a), true), output, tick: () => undefined })).kind === 'done'
}

describe('hdf5', () => {
  it.each(SOUND)('%s: keeps every object in a smaller file', async (name) => {
    const file = fixture('hdf5', name)
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThan(file.length * 0.7)
    // One level suffices, because the result does not depend on it.
    const again = await press(bytes)
    expect(again.defect).toBeUndefined()
    expect(again.bytes.length).toBeGreaterThan(bytes.length * 0.97)
  })

  it.each([
    ['whose root group says that it is empty', 'TREE', 0],
    ['whose root group says that it has one member of many', 'SNOD', 1],
  ])('returns a file %s unchanged: the library sees no damage but would drop datasets (six-datasets-lost)', async (_, node, used) => {
    const file = fixture('hdf5', 'everything-earliest.h5').slice()
    const at = Buffer.from(file).indexOf(node)
    // Entries in use (format specification, III.A.1 and III.B).
    new DataView(file.buffer).setUint16(at + 6, used, true)
    expect(inEnglish((await press(file)).outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'malformed',
      detail: 'much of the HDF5 file is not reachable from its root group, so a rewrite could lose data',
    })
  })

  it.each([
    ['more', 2, 'unsupported_feature'],
    ['fewer', 0, 'malformed'],
  ])('detects a group that counts %s links than exist before writing, not in verification (links-miscounted)', async (than, count, reason) => {
    const file = hdf5File(10_000, 1).slice()
    const view = new DataView(file.buffer)
    // Object header version 1: version, reserved byte, message count (2 bytes), then the number of links to the object (IV.A.1.a).
    expect([view.getUint8(GROUP_AT), view.getUint32(GROUP_AT + 4, true)]).toEqual([1, 1])
    view.setUint32(GROUP_AT + 4, count, true)
    const { outcome, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason,
      detail: expect.stringContaining(`an object counts ${than} links than lead to it`),
    })
  })

  it('compresses each chunk at the level that the host names, and again at the slower one that follows', async () => {
    const input = await rangeCache(readable(hdf5File(300_000, 1)), true)
    const rewritten = async (levels: readonly number[]) => {
      const output = new PagedFile(input.size + (1 << 20), 64 << 20)
      const shares: (number | undefined)[] = []
      const after: (number | undefined)[] = []
      const levelFor = (_: number, level: number | undefined, size: number) => {
        expect(size > 0).toBe(level !== undefined)
        after.push(level)
        return levels[level === undefined ? 0 : levels.indexOf(level) + 1]
      }
      const host = { input, output, tick: () => undefined, beginDataset: (share?: number) => shares.push(share), levelFor }
      expect((await rewriteHdf5(host, 12)).kind).toBe('done')
      return { bytes: output.size, shares, after }
    }
    const twice = await rewritten([6, 12])
    // 1.2 MB are two chunks. The sample has one byte of noise in four.
    expect(twice.after).toEqual([undefined, 6, 12, undefined, 6, 12])
    expect(twice.shares.at(-1)).toBeCloseTo(0.25, 1)
    expect(twice.bytes).toBe((await rewritten([12])).bytes)
  })

  it('uses level 12 only for the chunks in which it pays (content-changes)', async () => {
    const file = hdf5File(750_000, 4)
    const half = file.length >> 1
    const words = Array.from({ length: 60 }, (_, i) => `station ${(i * 7919) % 1000}, `)
    const random = randomNumbers(3)
    let text = ''
    while (text.length < half) text += words[Math.floor(random() * 60)]
    file.set(new TextEncoder().encode(text.slice(0, half)), file.length - half)
    const next = vi.spyOn(LevelChoice.prototype, 'next')
    const { outcome, defect } = await press(file)
    const levels = next.mock.calls.map(([level]) => level)
    next.mockRestore()
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    // Three chunks: noise, half of each, repeats.
    expect(levels[0]).toBeLessThan(12)
    expect(levels.indexOf(12)).toBeGreaterThan(0)
    expect(levels.at(-1)).toBe(12)
  })

  it('keeps the user block and the version of the format', async () => {
    const file = fixture('hdf5', 'everything-user-block.h5')
    const { bytes } = await press(file)
    expect(Buffer.compare(bytes.subarray(0, 1024), file.subarray(0, 1024))).toBe(0)
    // Superblock: signature (8 bytes), version.
    expect(bytes[1024 + 8]).toBe(0)
    expect((await press(fixture('hdf5', 'everything-v110.h5'))).bytes[8]).toBe(fixture('hdf5', 'everything-v110.h5')[8])
  })

  it.each([
    ['virtual.h5', 'a virtual dataset'],
    ['external.h5', 'a dataset in another file'],
  ])('returns %s unchanged', async (name, detail) => {
    const { outcome } = await press(fixture('hdf5', name))
    expect(inEnglish(outcome)).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature', detail: expect.stringContaining(detail) })
  })

  it('decodes LZF with any other filters and writes Deflate instead', async () => {
    const file = fixture('hdf5', 'lzf.h5')
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThan(file.length * 0.85)
    expect(Buffer.from(bytes).includes('lzf')).toBe(false)
    expect(await same(file, bytes)).toBe(true)
  })

  it('reports damaged LZF as malformed', async () => {
    const file = fixture('hdf5', 'lzf.h5')
    // The first chunk of "numbers" now copies bytes from before its start.
    file.fill(0xff, LZF_CHUNK_AT, LZF_CHUNK_AT + 60)
    expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('reports a global heap object of 4 GB as damage without an endless loop', async () => {
    const file = fixture('hdf5', 'lzf.h5')
    const heap = Buffer.from(file).indexOf('GCOL')
    expect(heap).toBeGreaterThan(0)
    // Collection header of 16 bytes. Index, reference count and four reserved bytes precede an object's size (III.E).
    file.fill(0xff, heap + 24, heap + 28)
    expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('reports chunks without dimensions as damage without dividing by zero', async () => {
    const file = hdf5File(10_000, 1).slice()
    // A 24-byte message with layout version 3, contiguous (IV.A.2.i). Changed to chunked, with zero dimensions.
    const at = Buffer.from(file).indexOf(Buffer.from([8, 0, 24, 0, 0, 0, 0, 0, 3, 1]))
    expect(at).toBeGreaterThan(0)
    file.set([2, 0], at + 9)
    const { outcome, defect } = await press(file)
    expect([outcome, defect]).toMatchObject([{ kind: 'unchanged', reason: 'malformed' }, undefined])
  })

  it('copies chunks with unknown filters, and detects altered bytes in them', async () => {
    const file = fixture('hdf5', 'foreign-filters.h5')
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    const chunk = Buffer.from(file).subarray(BLOSC_CHUNK_AT, BLOSC_CHUNK_AT + 90)
    const at = Buffer.from(bytes).indexOf(chunk)
    expect(at).toBeGreaterThan(0)
    bytes[at + 45]! ^= 1
    expect(await same(file, bytes)).toBe(false)
  })

  it('keeps a modification time in decimal digits (HDF5 before 1.6)', async () => {
    const file = fixture('hdf5', 'old-modification-time.h5')
    expect(Buffer.from(file).includes('20030613191746')).toBe(true)
    const { outcome, bytes, defect } = await press(file)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(timesIn(bytes, Date.UTC(2003, 5, 13, 19, 17, 46) / 1000)).toBe(1)
  })

  it('keeps the times of objects', async () => {
    const file = fixture('hdf5', 'everything-v110.h5')
    const made = new DataView(file.buffer).getUint32(48 + 6, true) // the root's header follows the superblock
    expect(timesIn(file, made)).toBeGreaterThan(30)
    const { bytes } = await press(file)
    expect(timesIn(bytes, made)).toBe(timesIn(file, made))
  })

  it('reports multi-file parts and newer datatype versions as unsupported, not damaged', async () => {
    const file = fixture('hdf5', 'everything-earliest.h5')
    const part = new Uint8Array(file.length + 24)
    part.set(file)
    part.set(new TextEncoder().encode('NCSAfami'), file.length + 8)
    new DataView(part.buffer).setBigUint64(48, BigInt(file.length), true)
    const { outcome } = await press(part)
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: expect.stringContaining('several files'),
    })

    const newer = fixture('hdf5', 'old-modification-time.h5')
    const type = Buffer.from(newer).indexOf(Uint8Array.of(0x10, 0x08, 0, 0, 4, 0, 0, 0)) // datatype version 1: an integer of four bytes
    expect(type).toBeGreaterThan(0)
    newer[type] = 0x60
    const refused = (await press(newer)).outcome
    expect(inEnglish(refused)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: expect.stringContaining('later version'),
    })
  })

  it('waits for ranges, and reads few of them', async () => {
    const file = fixture('hdf5', 'everything-earliest.h5')
    let reads = 0
    const slow = {
      size: file.length,
      read: async (offset: number, length: number) => {
        reads++
        await new Promise((resolve) => setTimeout(resolve, 1))
        return file.slice(offset, offset + length)
      },
    }
    const output = new PagedFile(1 << 20)
    const ended = await rewriteHdf5({ input: await rangeCache(slow, false, 0), output, tick: () => undefined }, 12)
    expect(ended).toMatchObject({ kind: 'done' })
    expect(ended.kind === 'done' && ended.memoryBytes).toBeLessThan(24e6)
    expect(reads).toBeLessThan(4)
    expect(await same(file, output.read(0, output.size))).toBe(true)
  })

  it('returns a file marked as open for writing unchanged', async () => {
    const file = fixture('hdf5', 'everything-v110.h5')
    expect(file[8]).toBe(3)
    file[11] = 1
    const { outcome } = await press(file)
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: expect.stringContaining('open for writing'),
    })
  })

  it('reads and compares a chunk of 16 MB with shuffle, Deflate and a checksum (one-chunk-over-budget)', async () => {
    const file = fixture('hdf5', 'chunk-of-16-mb-shuffled.h5')
    const { outcome, bytes, defect } = await press(file)
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(bytes.length).toBeLessThan(file.length)
    expect(await same(file, bytes)).toBe(true)
    const altered = bytes.slice()
    altered[bytes.length - 2000]! ^= 1
    expect(await same(file, altered)).toBe(false)
  })

  it('reports a chunk too large for memory as over budget, not damage', async () => {
    const { outcome } = await press(fixture('hdf5', 'one-chunk-of-16-mb.h5'))
    expect(inEnglish(outcome)).toMatchObject({
      kind: 'unchanged',
      reason: 'over_budget',
      detail: expect.stringContaining('too large for memory'),
    })
  })

  it('copies a chunk too large for memory and compresses the other dataset', async () => {
    const file = fixture('hdf5', 'chunk-of-36-mb.h5')
    const { outcome, bytes, defect } = await press(file)
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(bytes.length).toBeLessThan(file.length - 20_000)
    expect(await same(file, bytes)).toBe(true)
  })

  it.each([
    ['newest-chunks.h5', 'a feature of a later version of HDF5: d'],
    ['newest-complex.h5', 'a type of a later version of HDF5: d'],
    ['newest-references.h5', 'a type of a later version of HDF5: d'],
    ['newest-reference-attribute.h5', 'a type of a later version of HDF5: d'],
  ])('does not report %s, written by HDF5 2.0, as damaged', async (name, detail) => {
    expect(inEnglish((await press(fixture('hdf5', name))).outcome)).toEqual({
      kind: 'unchanged',
      reason: 'unsupported_feature',
      detail: expect.stringContaining(detail),
    })
  })

  it.each(['short-references.h5', 'sizes-4-4.h5'])('%s: keeps references in a file with addresses of four bytes', async (name) => {
    const { outcome, bytes, defect } = await press(fixture('hdf5', name))
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
    expect(await same(fixture('hdf5', name), bytes)).toBe(true)
  })

  it('detects two references of four bytes that changed places (short-references.h5)', async () => {
    const file = fixture('hdf5', 'short-references.h5')
    const { bytes } = await press(file)
    const altered = file.slice()
    altered.set(file.subarray(SHORT_REFERENCES_AT, SHORT_REFERENCES_AT + 4), SHORT_REFERENCES_AT + 4)
    altered.set(file.subarray(SHORT_REFERENCES_AT + 4, SHORT_REFERENCES_AT + 8), SHORT_REFERENCES_AT)
    expect(await same(file, altered)).toBe(false)
    expect(await same(altered, bytes)).toBe(false)
  })

  it('reports a newer superblock version as unsupported, not damaged', async () => {
    const file = fixture('hdf5', 'everything-v110.h5').slice()
    file[8] = 4
    expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason: 'unsupported_feature' })
  })

  it.runIf(IS_THOROUGH)('rewrites any number of chunks with one value each', async () => {
    const { outcome, defect } = await press(fixture('hdf5', 'one-value-chunks.h5'))
    expect([outcome.kind, defect]).toEqual(['compressed', undefined])
  })

  it('copies every chunk of an extensible array', async () => {
    const file = fixture('hdf5', 'extensible.h5')
    const output = new PagedFile(1 << 20)
    const ended = await rewriteHdf5({ input: await rangeCache(readable(file), true), output, tick: () => undefined }, 12)
    expect(ended).toMatchObject({ kind: 'done' })
    // Noise does not shrink, so the result must be at least this large, whatever the engine's comparison reports.
    expect(output.size).toBeGreaterThan(4 * 20 * 50)
    expect(await same(file, output.read(0, output.size))).toBe(true)
  })

  it('detects differences between fixtures and altered bytes in a result', async () => {
    const file = fixture('hdf5', 'everything-earliest.h5')
    expect(await same(file, file)).toBe(true)
    expect(await same(file, fixture('hdf5', 'everything-ordered.h5'))).toBe(false)
    const { bytes } = await press(file)
    const random = randomNumbers(5)
    let seen = 0
    for (let i = 0; i < 40; i++) {
      const altered = bytes.slice()
      // Only raw data and attributes are altered. Much of the metadata is space for unused entries.
      altered[Math.floor(random() * altered.length)]! ^= 0xff
      if (!(await same(file, altered).catch(() => false))) seen++
    }
    expect(seen).toBeGreaterThan(12)
  })

  it('stops when the task is deleted', async () => {
    const signal = AbortSignal.abort()
    await expect(pressFile(hdf5, fixture('hdf5', 'everything-earliest.h5'), 'a.h5', { signal })).rejects.toThrow()
  })

  it.runIf(IS_THOROUGH)('streams a result too large for memory, with the metadata in front', async () => {
    const file = hdf5File(7_000_000, 2)
    const { outcome, bytes, defect } = await pressFile(hdf5, file, 'a.h5', { memoryBudget: 40 << 20 })
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeGreaterThan(12 << 20) // more than the eight megabytes that are kept in memory
    expect(bytes.length).toBeLessThan(file.length * 0.55)
  })

  it('works without JSPI', async () => {
    const file = hdf5File(300_000, 1)
    const engine = WebAssembly as unknown as { Suspending?: unknown }
    const { Suspending } = engine
    try {
      delete engine.Suspending
      vi.resetModules()
      const { hasJspi } = await import('../../../wasm/hdf5/hdf5.ts')
      expect(hasJspi).toBe(false)
      const codec = (await import('../../../src/core/formats/hdf5/hdf5.ts')).hdf5
      for (const bytes of [file, ...SOUND.map((name) => fixture('hdf5', name))]) {
        const pressed = await pressFile(codec, bytes, 'a.h5')
        expect(pressed.defect).toBeUndefined()
        expect(pressed.outcome.kind).toBe('compressed')
      }
      // Without JSPI, both input and result are in memory.
      await expect(pressFile(codec, file, 'a.h5', { memoryBudget: 33 << 20 })).rejects.toMatchObject({
        name: 'CodecError',
        reason: 'over_budget',
      })
    } finally {
      engine.Suspending = Suspending
      vi.resetModules()
    }
  })

  it('reports over_budget if memory is too small', async () => {
    const { outcome } = await pressFile(hdf5, fixture('hdf5', 'everything-earliest.h5'), 'a.h5', { memoryBudget: 1 << 20 })
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  describe('bad input', () => {
    it('survives truncation at any byte', async () => {
      const file = fixture('hdf5', 'everything-ordered.h5')
      for (const share of [0.001, 0.1, 0.5, 0.9, 0.999]) {
        const { outcome } = await press(file.slice(0, file.length * share))
        expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
      }
    })

    it('survives flipped bits without hanging, and the next job works', async () => {
      const random = randomNumbers(6)
      for (let i = 0; i < roundsOf(80); i++) {
        const file = fixture('hdf5', SOUND[i % SOUND.length]!)
        for (let j = 0; j < 3; j++) file[Math.floor(random() * (i % 2 ? 4096 : file.length))]! ^= 1 << (random() * 8)
        await press(file)
      }
      expect((await press(fixture('hdf5', SOUND[0]!))).outcome.kind).toBe('compressed')
    })
  })
})

describe('netcdf', () => {
  it('rewrites NetCDF-4 with groups, dimensions, user types and strings', async () => {
    const { outcome, bytes, defect } = await press(fixture('netcdf', 'groups.nc'), netcdf)
    expect(defect).toBeUndefined()
    expect(outcome.kind).toBe('compressed')
    expect(Buffer.from(bytes).includes('_NCProperties')).toBe(true)
  })

  // The first two made the library read outside its memory, and the engine trapped. The others made it read outside the message, so that a
  // file differed from itself.
  it.each([
    ['an attribute that cannot be copied', [573, 0], [580, 255], [638, 51, 129, 7, 3]],
    ['a header continuation shorter than its checksum', [2459, 248, 255], [2473, 1], [14312, 1], [14550, 179, 245, 255, 54]],
    ['a shape of 772 bytes in an attribute', [594, 3], [638, 215, 149, 104, 165]],
    ['a shape of 65,532 bytes in an attribute', [507, 252, 255], [638, 38, 12, 19, 13], [9082, 229, 149, 234, 173]],
    ['a committed type of 601 members, two of which are there', [6465, 89, 2, 8, 207], [6497, 213, 4, 164, 140]],
  ])('reports damage: %s', async (_, ...edits) => {
    const file = fixture('netcdf', 'groups.nc')
    for (const [at, ...values] of edits as number[][]) file.set(values, at)
    const { outcome, defect } = await press(file, netcdf)
    expect([outcome, defect]).toMatchObject([{ kind: 'unchanged', reason: 'malformed' }, undefined])
  })

  it.each(['zst', 'br', 'gz'] as const)('wraps the file as %s on request', async (output) => {
    expect((await pressFile(netcdf, fixture('netcdf', 'groups.nc'), 'a.nc', { output })).outcome.kind).toBe('compressed')
  })
})

describe('paged file', () => {
  it('reads bytes written in any order, with zeros between, up to its size limit', () => {
    const file = new PagedFile(1_000_000)
    expect(file.write(600_000, Uint8Array.of(1, 2, 3))).toBe(true)
    expect(file.write(262_143, Uint8Array.of(9, 8))).toBe(true)
    expect([...file.read(262_142, 4)]).toEqual([0, 9, 8, 0])
    expect([...file.read(600_001, 10)]).toEqual([2, 3])
    file.resize(600_002)
    expect(file.write(999_999, Uint8Array.of(1, 2))).toBe(false)
    expect(file.isFull).toBe(true)
  })

  it('passes complete pages to the sink in order, and can change its head until the end', async () => {
    const MB = 1 << 20
    const file = new PagedFile(64 * MB, 8 * MB)
    const stored: Uint8Array[] = []
    const patches: [number, Uint8Array][] = []
    const sink = {
      written: 0,
      write: async (bytes: Uint8Array) => void stored.push(bytes.slice()),
      patch: (offset: number, bytes: Uint8Array) => void patches.push([offset, bytes.slice()]),
      abort: () => Promise.reject(new Error('not needed')),
    }
    for (let i = 0; i < 20; i++) {
      expect(file.write(i * MB, new Uint8Array(MB).fill(i + 1))).toBe(true)
      await file.spill(sink)
    }
    expect(stored.length).toBeGreaterThan(40)
    expect(file.write(10, Uint8Array.of(77))).toBe(true)
    expect(file.read(6 * MB, 1)).toHaveLength(0)
    expect([...file.read(19 * MB, 1)]).toEqual([20])
    await file.finish(sink)
    const whole = Buffer.concat(stored)
    for (const [offset, bytes] of patches) whole.set(bytes, offset)
    const wanted = Buffer.concat(Array.from({ length: 20 }, (_, i) => Buffer.alloc(MB, i + 1)))
    wanted[10] = 77
    expect(Buffer.compare(whole, wanted)).toBe(0)
    expect(file.write(6 * MB, Uint8Array.of(1))).toBe(false)
    expect(file.isStuck).toBe(true)
  })

  it('is stuck if memory is full and no page is complete', () => {
    const file = new PagedFile(64 << 20, 1 << 20)
    let fits = true
    for (let at = 0; fits && at < 8 << 20; at += 1 << 18) fits = file.write(at, new Uint8Array(1 << 18))
    expect(fits).toBe(false)
    expect(file.isStuck).toBe(true)
  })
})
