import { deflateRawSync } from 'node:zlib'
import { BlobReader, BlobWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { compareArchives } from '../../../src/core/containers/zip/compare.ts'
import { IN_MEMORY_BYTES } from '../../../src/core/containers/zip/limits.ts'
import { openZip, readEntry } from '../../../src/core/containers/zip/read.ts'
import { centralHeader, endRecords, localHeader } from '../../../src/core/containers/zip/records.ts'
import { type ChooseAction, rewriteZip } from '../../../src/core/containers/zip/rewrite.ts'
import type { Sink } from '../../../src/core/model/codec.ts'
import { memorySink } from '../../../src/core/model/sink.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { Libdeflate } from '../../../wasm/libdeflate/libdeflate.ts'
import { roundsOf } from '../../support/thorough.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const quiet = { signal: new AbortController().signal, progress: () => undefined }

interface File {
  name: string
  bytes: Uint8Array
  level?: number
  extra?: Map<number, Uint8Array>
  password?: string
  zip64?: boolean
  dataDescriptor?: boolean
}

/** Archive written by an independent implementation (zip.js). */
async function archive(files: File[], comment = ''): Promise<Uint8Array> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, extendedTimestamp: false })
  for (const { name, bytes, extra, ...options } of files) {
    await writer.add(name, new Uint8ArrayReader(bytes), {
      lastModDate: new Date(2001, 1, 3, 4, 5, 6),
      ...(extra ? { extraField: extra } : {}),
      ...options,
    })
  }
  const blob = await writer.close(encode(comment))
  return new Uint8Array(await blob.arrayBuffer())
}

async function repacked(bytes: Uint8Array, recipe?: ChooseAction): Promise<Uint8Array> {
  const sink = memorySink(Number.POSITIVE_INFINITY, 'a.zip')
  await rewriteZip(await openZip(memorySource(bytes, 'a.zip')), sink, quiet, recipe)
  return sink.bytes()
}

async function same(a: Uint8Array, b: Uint8Array) {
  return compareArchives(await openZip(memorySource(a, 'a.zip')), await openZip(memorySource(b, 'b.zip')), quiet)
}

async function filesOf(bytes: Uint8Array, password?: string) {
  const reader = new ZipReader(new BlobReader(new Blob([bytes as Uint8Array<ArrayBuffer>])), {
    useWebWorkers: false,
    ...(password ? { password } : {}),
  })
  const files = new Map<string, Uint8Array>()
  for (const entry of await reader.getEntries()) {
    if (!entry.directory) files.set(entry.filename, await entry.getData(new Uint8ArrayWriter(), { checkSignature: true }))
  }
  return files
}

const words = encode('All work and no play makes Jack a dull boy. '.repeat(400))
const noise = Uint8Array.from({ length: 3000 }, (_, index) => Math.imul(index + 1, 2654435761) >>> 24)

describe('rewriting', () => {
  test('keeps order, names, times, extra fields and comments', async () => {
    const before = await archive(
      [
        { name: 'z/late.txt', bytes: words, level: 1, extra: new Map([[0x7777, encode('kept')]]) },
        { name: '目录/é.bin', bytes: noise, level: 0 },
        { name: 'a/empty', bytes: new Uint8Array(), level: 0 },
        { name: 'a/first.txt', bytes: words.slice(7), level: 1, dataDescriptor: true },
      ],
      'the comment',
    )
    const after = await repacked(before)
    expect(after.length).toBeLessThan(before.length)
    expect(await same(before, after)).toEqual({ equal: true })
    expect([...(await filesOf(after)).keys()]).toEqual(['z/late.txt', '目录/é.bin', 'a/empty', 'a/first.txt'])
    expect(Buffer.from(after).includes('kept')).toBe(true)
    expect(Buffer.from(after).includes('the comment')).toBe(true)
    // A second run saves no further bytes.
    expect(Buffer.compare(await repacked(after), after)).toBe(0)
  })

  test('reads zip64 records and data descriptors, and omits them where not needed', async () => {
    const before = await archive([{ name: 'a.txt', bytes: words, level: 1, zip64: true, dataDescriptor: true }])
    const after = await repacked(before)
    expect(await same(before, after)).toEqual({ equal: true })
    expect((await filesOf(after)).get('a.txt')).toEqual(words)
    expect(after.length).toBeLessThan(before.length - 60)
  })

  test('copies encrypted files unchanged', async () => {
    const before = await archive([
      { name: 'secret.txt', bytes: words, level: 1, password: 'pass', dataDescriptor: true },
      { name: 'plain.txt', bytes: words, level: 1 },
    ])
    const after = await repacked(before)
    expect(await same(before, after)).toEqual({ equal: true })
    expect((await filesOf(after, 'pass')).get('secret.txt')).toEqual(words)
  })

  test('replaces, renames, drops and stores files', async () => {
    const before = await archive([
      { name: 'mimetype', bytes: encode('application/epub+zip'), level: 6 },
      { name: 'a.png', bytes: noise },
      { name: 'b.png', bytes: noise },
    ])
    const fates: Record<string, ReturnType<ChooseAction>> = {
      mimetype: { kind: 'store' },
      'a.png': { kind: 'replace', bytes: encode('jpeg'), name: 'a.jpeg' },
      'b.png': { kind: 'drop' },
    }
    const after = await repacked(before, (entry) => fates[entry.name]!)
    expect(Buffer.from(after.subarray(38, 58)).toString()).toBe('application/epub+zip')
    const files = await filesOf(after)
    expect([...files.keys()]).toEqual(['mimetype', 'a.jpeg'])
    expect(files.get('a.jpeg')).toEqual(encode('jpeg'))
  })

  test('streams files that do not fit in memory', async () => {
    const large = new Uint8Array(IN_MEMORY_BYTES + 1_000_000)
    let state = 7
    for (let at = 0; at < large.length - 4_000_000; at++) large[at] = (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24
    const before = await archive([{ name: 'sheet.xml', bytes: large, level: 0 }])
    const chunks: number[] = []
    const sink: Sink & { written: number } = {
      written: 0,
      async write(chunk) {
        chunks.push(chunk.length)
        this.written += chunk.length
      },
      patch: () => {
        throw new Error('not needed')
      },
      abort: () => Promise.reject(new Error('not needed')),
    }
    await rewriteZip(await openZip(memorySource(before, 'a.zip')), sink, quiet)
    expect(sink.written).toBeLessThan(before.length)
    expect(Math.max(...chunks)).toBeLessThan(1_100_000)
  })

  test('keeps the files of any archive', async () => {
    const file = fc.record({
      bytes: fc.uint8Array({ maxLength: 400 }),
      level: fc.constantFrom(0, 1, 9),
      zip64: fc.boolean(),
      dataDescriptor: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 8 }), fc.string({ maxLength: 20 }), async (files, comment) => {
        const before = await archive(
          files.map((each, index) => ({ ...each, name: `${index}.bin` })),
          comment,
        )
        const after = await repacked(before)
        expect(after.length).toBeLessThanOrEqual(before.length)
        expect(await same(before, after)).toEqual({ equal: true })
      }),
      { numRuns: 60, seed: 3 },
    )
  })
})

/** Builds invalid archives that zip.js cannot write. */
function crafted(
  files: { name: string; bytes: Uint8Array; size?: number; method?: number; localName?: string; offset?: number }[],
  extraCount = 0,
) {
  const parts: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const { name, bytes, size = bytes.length, method = 0, localName = name, offset } of files) {
    const facts = {
      versionMadeBy: 20,
      versionNeeded: 20,
      flags: 0,
      method,
      time: 0,
      date: 33,
      crc32: 0,
      compressedSize: bytes.length,
      size,
      internalAttributes: 0,
      externalAttributes: 0,
      rawName: encode(name),
      extra: new Uint8Array(),
      comment: new Uint8Array(),
    }
    directory.push(centralHeader(facts, offset ?? at))
    const local = [localHeader({ ...facts, rawName: encode(localName) }, new Uint8Array()), bytes]
    parts.push(...local)
    at += local[0]!.length + bytes.length
  }
  const directoryBytes = directory.reduce((sum, part) => sum + part.length, 0)
  return Uint8Array.from(
    Buffer.concat([...parts, ...directory, endRecords(files.length + extraCount, at, directoryBytes, new Uint8Array())]),
  )
}

describe('hostile archives', () => {
  const hello = encode('hello hello hello')
  const open = (bytes: Uint8Array) => openZip(memorySource(bytes, 'a.zip'))
  const attempt = (bytes: Uint8Array) => repacked(bytes)

  test.each(['../up', 'a/../../up', '/abs', '\\abs', 'C:/x', 'a\\..\\..\\b', 'nul\0'])('refuses the file name %j', async (name) => {
    await expect(open(crafted([{ name, bytes: hello }]))).rejects.toThrow('points outside the archive folder')
  })

  test('refuses ZIP bombs before inflating anything', async () => {
    const small = deflateRawSync(new Uint8Array(1000))
    await expect(open(crafted([{ name: 'a', bytes: small, method: 8, size: 4_000_000_000 }]))).rejects.toThrow(
      '4000000000 unpacked bytes from',
    )
    const many = Array.from({ length: 300 }, (_, index) => ({ name: `${index}`, bytes: new Uint8Array(400), method: 8, size: 400_000 }))
    await expect(open(crafted(many))).rejects.toThrow('zip bomb')
  })

  test('refuses a file that inflates to more bytes than declared', async () => {
    const bytes = crafted([{ name: 'a', bytes: deflateRawSync(new Uint8Array(100_000)), method: 8, size: 10 }])
    await expect(attempt(bytes)).rejects.toThrow('larger than the limit of 10 bytes')
  })

  test('refuses overlapping files, repeated names and headers that contradict the directory', async () => {
    await expect(
      open(
        crafted([
          { name: 'a', bytes: hello },
          { name: 'b', bytes: hello, offset: 4 },
        ]),
      ),
    ).rejects.toThrow('overlaps')
    await expect(
      open(
        crafted([
          { name: 'a', bytes: hello },
          { name: 'a', bytes: hello },
        ]),
      ),
    ).rejects.toThrow('two files with the name')
    await expect(attempt(crafted([{ name: 'a', bytes: hello, localName: 'b' }]))).rejects.toThrow(
      'the file name in the local header differs',
    )
    await expect(attempt(crafted([{ name: 'a', bytes: hello }]))).rejects.toThrow('CRC-32 checksum')
    await expect(open(crafted([{ name: 'a', bytes: hello }], 3))).rejects.toThrow('the central directory ends in the middle of an entry')
  })

  test('keeps bytes before and after the archive, for both kinds of offsets', async () => {
    const plain = await archive([
      { name: 'a', bytes: hello },
      { name: 'b', bytes: encode('b'.repeat(5000)) },
    ])
    const head = encode('#!/bin/sh\nexit 0\n')
    const tail = encode('\r\nsomething else')
    const joined = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
    // Offsets count from the start of the file, as `zip -A` writes them.
    const adjusted = joined(head, plain)
    const view = new DataView(adjusted.buffer)
    const end = adjusted.length - 22
    view.setUint32(end + 16, view.getUint32(end + 16, true) + head.length, true)
    for (let at = view.getUint32(end + 16, true); at < end; ) {
      view.setUint32(at + 42, view.getUint32(at + 42, true) + head.length, true)
      at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    }
    for (const [before, after] of [
      [head, new Uint8Array()],
      [new Uint8Array(), tail],
      [head, tail],
    ] as const) {
      const whole = joined(before, plain, after)
      const result = await repacked(whole)
      expect(await same(whole, result)).toEqual({ equal: true })
      expect(Buffer.compare(result.subarray(0, before.length), before)).toBe(0)
      expect(Buffer.compare(result.subarray(result.length - after.length), after)).toBe(0)
      if (after.length > 0) expect(await same(result, joined(result, encode('!')))).toMatchObject({ equal: false })
    }
    const result = await repacked(adjusted)
    expect(await same(adjusted, result)).toEqual({ equal: true })
    expect([...(await filesOf(result)).keys()]).toEqual(['a', 'b'])
  })

  test('refuses damaged archives or keeps their files', async () => {
    const whole = await archive(
      [
        { name: 'a.txt', bytes: words.slice(0, 900), level: 1 },
        { name: 'b.bin', bytes: noise.slice(0, 300) },
      ],
      'c',
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, value, cut) => {
        const damaged = cut ? whole.slice(0, at) : Uint8Array.from(whole)
        if (!cut) damaged[at] = value
        try {
          const after = await attempt(damaged)
          expect(await same(damaged, after)).toEqual({ equal: true })
        } catch (error) {
          expect((error as Error).name).toBe('CodecError')
        }
      }),
      { numRuns: roundsOf(400), seed: 11 },
    )
    expect((await same(whole, await attempt(whole))).equal).toBe(true)
  })

  test('detects differences between archives', async () => {
    const file = (bytes: Uint8Array, name = 'a') => archive([{ name, bytes }])
    expect((await same(await file(words), await file(words.slice(1)))).equal).toBe(false)
    expect((await same(await file(words), await file(words, 'b'))).equal).toBe(false)
    const opened = await open(await file(words))
    expect(await readEntry(opened, opened.entries[0]!)).toEqual(words)
  })
})

test('skips the slowest Deflate for compressed files and uses only it for long texts', async () => {
  const state = { next: 7 }
  const noise = Uint8Array.from({ length: 20_000 }, () => (state.next = (Math.imul(state.next, 1664525) + 1013904223) >>> 0) >>> 24)
  const words = encode(Array.from({ length: 12_000 }, (_, i) => `<w:t>${(i * 7919) % 613}</w:t>`).join(''))
  const searched = vi.spyOn(Libdeflate.prototype, 'compressThorough')
  const compressed = vi.spyOn(Libdeflate.prototype, 'compress')
  const packed = await archive([
    { name: 'picture.jpeg', bytes: noise, level: 0 },
    { name: 'document.xml', bytes: words, level: 1 },
  ])
  const result = await repacked(packed)
  expect(await filesOf(result)).toEqual(await filesOf(packed))
  expect(searched.mock.calls.map(([bytes]) => bytes.length)).toEqual([words.length])
  const calls = compressed.mock.calls.map(([, bytes, level]) => [bytes.length, level])
  expect(calls).toEqual([
    [noise.length, 12],
    [words.length, 1],
  ])
  vi.restoreAllMocks()
})

test('does not use the slowest Deflate for newly compressed pictures', async () => {
  // Bytes with only 240 of 256 values, so that Deflate saves a little.
  let state = 7
  const coded = Uint8Array.from({ length: 200_000 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 24) % 240
  })
  const before = await archive([{ name: 'a.jpg', bytes: new Uint8Array(300_000) }])
  const slow = vi.spyOn(Libdeflate.prototype, 'compressThorough')
  const streamed = await repacked(before, async () => ({ kind: 'replace', bytes: coded }))
  expect(slow).not.toHaveBeenCalled()
  expect(streamed.length).toBeLessThan(199_000)
  const text = encode('what repeats itself is worth it '.repeat(9000).replaceAll('e', (_, at: number) => String(at % 7919)))
  await repacked(before, async () => ({ kind: 'replace', bytes: text }))
  expect(slow).toHaveBeenCalled()
  slow.mockRestore()
})
