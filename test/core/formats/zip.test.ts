/** ZIP archives of any kind: members keep their bytes, stored members that are read in place stay stored, signed ones stay unchanged. */
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignedExtra, hasPadding } from '../../../src/core/containers/zip/alignment.ts'
import { openZip, readLocalHeader } from '../../../src/core/containers/zip/read.ts'
import { DEFLATED, STORED } from '../../../src/core/containers/zip/records.ts'
import { zip } from '../../../src/core/formats/zip/zip.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { NOTHING_LENT, type Parts, partsOf, press, zipOf } from '../../support/packages.ts'
import { damagePositions } from '../../support/thorough.ts'

const prose = Array.from({ length: 300 }, (_, i) => `line ${i % 17} of ${i}`).join('\n')
const utf8 = (text: string) => new TextEncoder().encode(text)

interface Stored {
  readonly name: string
  readonly data: Uint8Array
  readonly extra?: Uint8Array
}

/** Builds an archive of stored members. `before`: bytes in front of the directory. */
function storedZip(members: readonly Stored[], before: Uint8Array = new Uint8Array(), prefix = ''): Uint8Array {
  const parts: Buffer[] = [Buffer.from(prefix, 'latin1')]
  const central: Buffer[] = []
  const length = (buffers: readonly Buffer[]) => buffers.reduce((sum, each) => sum + each.length, 0)
  for (const { name, data, extra = new Uint8Array() } of members) {
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(0x21, 8)
    facts.writeUInt32LE(crc32(data), 10)
    facts.writeUInt32LE(data.length, 14)
    facts.writeUInt32LE(data.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const offset = Buffer.alloc(14)
    offset.writeUInt32LE(length(parts), 10)
    central.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), Buffer.from(facts), offset, Buffer.from(name))
    facts.writeUInt16LE(extra.length, 24)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name), Buffer.from(extra), Buffer.from(data))
  }
  parts.push(Buffer.from(before))
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(length(central), 12)
  end.writeUInt32LE(length(parts), 16)
  return new Uint8Array(Buffer.concat([...parts, ...central, end]))
}

/** Method and place of each member. An archive is read by one reader at a time. */
async function membersOf(bytes: Uint8Array) {
  const archive = await openZip(memorySource(bytes, 'a.zip'))
  const found: Record<string, { method: number; at: number }> = {}
  for (const entry of archive.entries) found[entry.name] = { method: entry.method, at: (await readLocalHeader(archive, entry)).dataOffset }
  return found
}

const pressed = (bytes: Uint8Array) => press(zip, bytes, 'medium')

describe('ZIP archives', () => {
  it('are recognised, also those of unknown kind and behind a script', async () => {
    const bytes = await zipOf({ 'a.txt': prose, 'b.bin': 'x' })
    expect((await identify(memorySource(bytes, 'a.xyz')))?.id).toBe('zip')
    const script = new Uint8Array([...utf8('#!/bin/sh\necho\n'), ...bytes])
    expect((await identify(memorySource(script, 'a.zip')))?.id).toBe('zip')
    expect((await identify(memorySource(utf8('PKZIP is a program.\n'), 'a.txt')))?.id).toBe('text')
  })

  it('keep members, order and names; the result is lossless at every level', async () => {
    const parts: Parts = {
      'b/Übung – 契約.csv': prose,
      'a.txt': prose,
      empty: '',
      'c.bin': Uint8Array.from({ length: 500 }, (_, i) => (i * i * 7) & 255),
    }
    const bytes = await zipOf(parts)
    const results = await Promise.all((['high', 'medium', 'low'] as const).map((quality) => press(zip, bytes, quality)))
    for (const { outcome, bytes: result } of results) {
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(result).toEqual(results[0]!.bytes)
    }
    const after = await partsOf(results[0]!.bytes)
    expect([...after.keys()]).toEqual(Object.keys(parts))
    for (const [name, content] of Object.entries(parts))
      expect(after.get(name)).toEqual(typeof content === 'string' ? utf8(content) : content)
  })

  it('can be packed whole', async () => {
    const { outcome } = await press(zip, await zipOf({ 'a.txt': prose, 'b.txt': prose }, 0), 'medium', NOTHING_LENT, 'zst')
    expect(outcome.kind).toBe('compressed')
  })

  it('deflate stored members, except mimetype and archives inside', async () => {
    const inner = await zipOf({ 'a.txt': prose }, 0)
    const bytes = storedZip([
      { name: 'mimetype', data: utf8('image/openraster'.repeat(9)) },
      { name: 'lib/inner.jar', data: inner },
      { name: 'a.txt', data: utf8(prose) },
    ])
    const { outcome, bytes: result } = await pressed(bytes)
    expect(outcome.kind).toBe('compressed')
    expect(await membersOf(result)).toMatchObject({
      mimetype: { method: STORED },
      'lib/inner.jar': { method: STORED },
      'a.txt': { method: DEFLATED },
    })
  })
})

describe('members that programs read in place', () => {
  const library = { name: 'lib/arm64/a.so', data: utf8(prose.repeat(3)) }
  const padded = (members: readonly Stored[], alignments: readonly number[]) => {
    let at = 0
    return members.map((member, index) => {
      const extra = alignedExtra(new Uint8Array(), at + 30 + member.name.length, alignments[index]!)
      at += 30 + member.name.length + extra.length + member.data.length
      return { ...member, extra }
    })
  }

  it('stay stored and aligned in an Android app', async () => {
    const members = [{ name: 'AndroidManifest.xml', data: utf8(prose) }, { name: 'resources.arsc', data: utf8(prose) }, library]
    const bytes = storedZip(padded(members, [4, 4, 16_384]))
    const { bytes: result } = await pressed(bytes)
    const found = await membersOf(result)
    for (const { name } of members) expect(found[name]?.method, name).toBe(STORED)
    expect(found['resources.arsc']!.at % 4).toBe(0)
    expect(found['lib/arm64/a.so']!.at % 16_384).toBe(0)
  })

  it('stay stored beside deflated members, and keep their alignment when those shrink', async () => {
    const app = await appOf()
    const { outcome, bytes: result } = await pressed(app)
    expect(outcome.kind).toBe('compressed')
    const found = await membersOf(result)
    expect(found['classes.dex']!.method).toBe(DEFLATED)
    expect(found['lib/a.so']).toMatchObject({ method: STORED })
    expect(found['lib/a.so']!.at % 4096).toBe(0)
  })

  /** An unsigned app: a badly deflated member in front of an aligned library. */
  async function appOf(): Promise<Uint8Array> {
    const loose = await zipOf({ 'AndroidManifest.xml': prose, 'classes.dex': prose.repeat(40) }, 1)
    const archive = await openZip(memorySource(loose, 'a.apk'))
    const last = archive.physical.at(-1)!
    const name = 'lib/a.so'
    const extra = alignedExtra(new Uint8Array(), last.limit + 30 + name.length, 4096)
    const alone = storedZip([{ name, data: library.data, extra }])
    const localBytes = 30 + name.length + extra.length + library.data.length
    const directory = loose.slice(last.limit, loose.length - 22)
    const second = alone.slice(localBytes, alone.length - 22)
    new DataView(second.buffer).setUint32(42, last.limit, true)
    const end = loose.slice(loose.length - 22)
    const view = new DataView(end.buffer)
    view.setUint16(8, 3, true)
    view.setUint16(10, 3, true)
    view.setUint32(12, directory.length + second.length, true)
    view.setUint32(16, last.limit + localBytes, true)
    return new Uint8Array(Buffer.concat([loose.subarray(0, last.limit), alone.subarray(0, localBytes), directory, second, end]))
  }

  it('stay stored if any header pads its data', async () => {
    const members = padded(
      [
        { name: 'a.usdc', data: utf8(prose) },
        { name: 'b.png', data: utf8(prose) },
      ],
      [64, 64],
    )
    expect(members.some(({ extra }) => hasPadding(extra))).toBe(true)
    const found = await membersOf((await pressed(storedZip(members))).bytes)
    expect(Object.values(found).map(({ method, at }) => [method, at % 64])).toEqual([
      [STORED, 0],
      [STORED, 0],
    ])
  })

  it('are aligned by valid extra fields, whatever other fields there are', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.constantFrom(1, 4, 64, 4096, 16_384), fc.uint8Array({ maxLength: 40 }), (offset, alignment, data) => {
        const extra = new Uint8Array([0x55, 0x54, data.length, 0, ...data])
        const aligned = alignedExtra(extra, offset, alignment)
        expect((offset + aligned.length) % alignment).toBe(0)
        expect(aligned.slice(0, extra.length)).toEqual(extra)
        expect(alignedExtra(aligned, offset, alignment)).toEqual(aligned)
      }),
    )
  })
})

describe('archives that stay unchanged', () => {
  it.each([
    [
      'an APK with a signing block',
      storedZip([{ name: 'a.txt', data: utf8(prose) }], utf8('12345678APK Sig Block 42')),
      'signed',
      'apk_signing_block',
    ],
    [
      'a signed NuGet package',
      storedZip([
        { name: 'a.txt', data: utf8(prose) },
        { name: '.signature.p7s', data: utf8('x') },
      ]),
      'signed',
      'archive_signature',
    ],
    [
      'a Windows app',
      storedZip([
        { name: 'a.txt', data: utf8(prose) },
        { name: 'AppxBlockMap.xml', data: utf8('x') },
      ]),
      'signed',
      'archive_signature',
    ],
    [
      'an archive behind a program',
      storedZip([{ name: 'a.txt', data: utf8(prose) }], new Uint8Array(), 'MZ program'),
      'unsupported_feature',
      'program_in_front_of_archive',
    ],
  ])('%s', async (_, bytes, reason, code) => {
    expect((await pressed(bytes)).outcome).toMatchObject({ kind: 'unchanged', reason, detail: { code } })
  })

  it.each([
    ['a name that leads outside', [{ name: '../a.txt', data: utf8(prose) }]],
    [
      'two members of one name',
      [
        { name: 'a', data: utf8(prose) },
        { name: 'a', data: utf8(prose) },
      ],
    ],
  ])('%s', async (_, members) => {
    expect((await pressed(storedZip(members))).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('a bomb', async () => {
    const bomb = storedZip([{ name: 'a', data: utf8('x') }])
    const view = new DataView(bomb.buffer)
    const central = bomb.length - 22 - 47
    view.setUint16(central + 10, DEFLATED, true)
    view.setUint32(central + 24, 0x7fffffff, true)
    expect((await pressed(bomb)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
  })

  it('cut and damaged archives', async () => {
    const whole = await zipOf({ 'a.txt': prose, 'b.txt': prose.slice(9) })
    for (const at of damagePositions(0, whole.length, 29)) {
      expect((await pressed(whole.slice(0, at))).outcome.kind).toBe('unchanged')
      const flipped = whole.slice()
      flipped[at]! ^= 0xff
      await pressed(flipped)
    }
  })
})
