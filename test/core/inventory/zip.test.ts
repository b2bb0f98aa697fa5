/** The ZIP reader of inventories: unusual archives, and archives that lie. */
import { readFileSync } from 'node:fs'
import { crc32, deflateRawSync } from 'node:zlib'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shapefile } from '../../../src/core/formats/shapefile/shapefile.ts'
import { checkInventory } from '../../../src/core/inventory/check.ts'
import { INFLATE_LIBRARY } from '../../../src/core/inventory/inflate.ts'
import type { Inventory } from '../../../src/core/inventory/inventory.ts'
import { readerOf } from '../../../src/core/inventory/readers.ts'
import { XML_LIBRARY } from '../../../src/core/inventory/xml-library.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'

const signal = new AbortController().signal

async function read(bytes: Uint8Array): Promise<Inventory> {
  return (await readerOf('zip'))!.read(memorySource(bytes, 'a.zip'), signal)
}

const itemsOf = async (bytes: Uint8Array, kind: Parameters<Inventory['get']>[0]) => [...((await read(bytes)).get(kind)?.keys() ?? [])]

const TEXT = new TextEncoder().encode('some text, some text, some text, some text, some text')

async function zipWith(options: ConstructorParameters<typeof ZipWriter>[1], comment = '', member: object = {}): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, ...options })
  await writer.add('a.txt', new Uint8ArrayReader(TEXT), member)
  return writer.close(new TextEncoder().encode(comment))
}

/** Fields of a member that may differ from its content. */
interface Lie {
  readonly crc?: number
  readonly bytes?: number
  readonly stored?: Uint8Array
  readonly method?: number
}

/** Writes an archive of one member. */
function handmade({ crc = crc32(TEXT), bytes = TEXT.length, stored = deflateRawSync(TEXT), method = 8 }: Lie = {}): Buffer {
  const name = Buffer.from('a.txt')
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(method, 8)
  local.writeUInt32LE(crc, 14)
  local.writeUInt32LE(stored.length, 18)
  local.writeUInt32LE(bytes, 22)
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50)
  local.copy(central, 8, 6, 28)
  central.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length + name.length, 12)
  end.writeUInt32LE(local.length + name.length + stored.length, 16)
  return Buffer.concat([local, name, stored, central, name, end])
}

describe('unusual archives are read', () => {
  test('zip64 records, data descriptors and stored members', async () => {
    const plain = await itemsOf(await zipWith({}), 'members')
    expect(await itemsOf(await zipWith({ zip64: true }), 'members')).toEqual(plain)
    expect(await itemsOf(await zipWith({ dataDescriptor: true }), 'members')).toEqual(plain)
    expect(await itemsOf(await zipWith({ level: 0 }), 'members')).toEqual(plain)
    expect(await itemsOf(handmade(), 'members')).toEqual(plain)
  })

  test('comments, and bytes before and behind the archive', async () => {
    const zip = await zipWith({}, 'made by hand', { comment: 'first' })
    const whole = Buffer.concat([Buffer.from('#!/bin/sh\n'), zip, Buffer.from('tail')])
    expect(await itemsOf(whole, 'archive_comments')).toEqual([
      'comment = made by hand',
      expect.stringMatching(/^10 bytes before the first member #[0-9a-f]{16}$/),
    ])
    expect(await itemsOf(whole, 'comments')).toEqual(['a.txt: first'])
    expect(await itemsOf(whole, 'trailing_bytes')).toEqual([expect.stringMatching(/^4 bytes #/)])
    expect(await itemsOf(Buffer.concat([zip, Buffer.alloc(100)]), 'trailing_bytes')).toEqual([])
  })

  test('encrypted members are compared by their stored bytes', async () => {
    const zip = await zipWith({ password: 'secret', zipCrypto: true })
    expect(await itemsOf(zip, 'members')).toEqual([expect.stringMatching(/^a\.txt = \d+ encrypted bytes #[0-9a-f]{16}$/)])
  })

  test('members with an unknown method are compared by their stored bytes', async () => {
    expect(await itemsOf(handmade({ method: 93 }), 'members')).toEqual([expect.stringMatching(/^a\.txt = \d+ compressed bytes #/)])
  })
})

describe('archives that lie are malformed', () => {
  const bomb = deflateRawSync(Buffer.alloc(50_000_000))
  test.each([
    ['another CRC-32', { crc: 1 }],
    ['content that is shorter than its size', { bytes: TEXT.length + 1 }],
    ['content that is longer than its size', { bytes: TEXT.length - 1 }],
    ['a bomb with a small size', { stored: bomb, bytes: 1000 }],
    ['a bomb with a large size', { stored: bomb, bytes: 6_000_000 }],
    ['damaged Deflate data', { stored: new Uint8Array(40).fill(0xff) }],
    ['Deflate data that ends early', { stored: deflateRawSync(TEXT).subarray(0, 10) }],
  ] satisfies [string, Lie][])('%s', async (_what, lie) => {
    await expect(read(handmade(lie))).rejects.toMatchObject({ reason: 'malformed' })
  })

  test('a result with a wrong CRC-32 is not accepted', async () => {
    const { format } = shapefile
    const original = memorySource(handmade(), 'a.zip')
    const result = memorySource(handmade({ crc: 1 }), 'b.zip')
    const verdict = await checkInventory({ format, output: 'shapefile', original, result, quality: 'high', metadata: undefined, signal })
    expect(verdict).toMatchObject({ kind: 'unreadable' })
  })

  test('any change of one byte gives an inventory or an error', async () => {
    const whole = handmade()
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(whole)
        damaged[at]! ^= change
        await read(damaged).catch((error: unknown) => expect(error).toBeInstanceOf(CodecError))
      }),
    )
  })
})

test('receipts name the installed versions of the libraries', () => {
  for (const library of [INFLATE_LIBRARY, XML_LIBRARY]) {
    const [name, version] = library.split(' ')
    expect(JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version).toBe(version)
  }
})

test('an aborted job stops the reader', async () => {
  const aborted = AbortSignal.abort(new Error('the task was deleted'))
  await expect((await readerOf('zip'))!.read(memorySource(handmade(), 'a.zip'), aborted)).rejects.toThrow('the task was deleted')
})
