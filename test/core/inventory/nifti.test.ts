import { gunzipSync, gzipSync } from 'node:zlib'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nifti } from '../../../src/core/formats/nifti/nifti.ts'
import { INFLATE_LIBRARY } from '../../../src/core/inventory/inflate.ts'
import { pressFile } from '../../support/press-file.ts'
import { niftiFile } from '../../support/science-files.ts'
import { damagePositions, roundsOf } from '../../support/thorough.ts'
import { countsOf, damaging, inventoryOf, itemsOf, readOrReason, verdictOf } from './damage.ts'

/** Bytes from the header to the volume: 4 of the extender, an extension of 32 bytes, and 12 others. */
const BEFORE_VOLUME = 48
const TAIL = new TextEncoder().encode('behind')

/** Returns a NIfTI-1 file with an extension, bytes before the volume and bytes after it. */
function fullFile(): Uint8Array {
  const plain = niftiFile(20, 16, 12)
  const between = new Uint8Array(BEFORE_VOLUME)
  const view = new DataView(between.buffer)
  between[0] = 1
  view.setInt32(4, 32, true)
  view.setInt32(8, 6, true)
  between.set(new TextEncoder().encode('a comment of the scan'), 12)
  between.set([1, 2, 3], 36)
  const file = Buffer.concat([plain.subarray(0, 348), between, plain.subarray(352), TAIL])
  file.writeFloatLE(348 + BEFORE_VOLUME, 108)
  file.write('a description', 148)
  return Uint8Array.from(file)
}

const pair = async (comment?: string) => {
  const file = niftiFile(40, 30, 20)
  const writer = new ZipWriter(new Uint8ArrayWriter(), { level: 1 })
  const header = Uint8Array.from(file.subarray(0, 348))
  header.set(new TextEncoder().encode('ni1\0'), 344)
  new DataView(header.buffer).setFloat32(108, 0, true)
  await writer.add('scan.hdr', new Uint8ArrayReader(header))
  await writer.add('scan.img', new Uint8ArrayReader(file.subarray(352)))
  return await writer.close(comment === undefined ? undefined : new TextEncoder().encode(comment))
}

describe('inventory of NIfTI', () => {
  it('names header fields, extensions and bytes around the volume', async () => {
    const inventory = await inventoryOf('nifti', fullFile())
    expect(countsOf(inventory)).toEqual({ header: 31, records: 1, trailing_bytes: 2 })
    expect(itemsOf(inventory, 'header')).toEqual(
      expect.arrayContaining(['dim = 3 20 16 12 1 1 1 1', 'descrip = a description', 'magic = n+1', 'extension = 0x01000000']),
    )
    expect(itemsOf(inventory, 'records')).toEqual([expect.stringMatching(/^extension 0, code 6 = 32 bytes #/)])
    expect(itemsOf(inventory, 'trailing_bytes').map((item) => item.split(' #')[0])).toEqual([
      'before the volume = 12 bytes',
      'after the volume = 6 bytes',
    ])
  })

  it('reads the same items from .nii.gz, also from several gzip members', async () => {
    const file = fullFile()
    const members = Buffer.concat([gzipSync(file.subarray(0, 5000)), gzipSync(file.subarray(5000))])
    expect(await inventoryOf('nii.gz', gzipSync(file))).toEqual(await inventoryOf('nifti', file))
    expect(await inventoryOf('nifti', members)).toEqual(await inventoryOf('nifti', file))
  })

  it('keeps all items, and names the library that inflated the result', async () => {
    const file = fullFile()
    const { outcome, defect } = await pressFile(nifti, file, 'a.nii')
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', inventory: { header: 31, records: 1, trailing_bytes: 2 } })
    expect(outcome).toMatchObject({ verifiedBy: expect.arrayContaining([INFLATE_LIBRARY]) })
  })

  it('keeps the files and the comment of a pair in a ZIP archive', async () => {
    const { outcome, defect } = await pressFile(nifti, await pair('from the scanner'), 'scan.zip')
    expect(defect).toBeUndefined()
    expect(outcome).toMatchObject({ kind: 'compressed', output: 'nifti', inventory: { archive_comments: 1, members: 2 } })
    expect(await verdictOf('nifti', await pair('from the scanner'), await pair(), 'nifti')).toMatchObject({
      kind: 'lost',
      loss: { kind: 'archive_comments' },
    })
  })

  it('property: a changed byte before or after the volume makes the original the result', async () => {
    const file = fullFile()
    const { bytes } = await pressFile(nifti, file, 'a.nii')
    const places = [
      ...Array.from({ length: 348 + BEFORE_VOLUME }, (_, i) => i),
      ...Array.from({ length: TAIL.length }, (_, i) => file.length - 1 - i),
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.integer({ min: 0, max: 7 }), async (at, bit) => {
        const plain = Uint8Array.from(gunzipSync(bytes))
        plain[at]! ^= 1 << bit
        expect((await verdictOf('nifti', file, gzipSync(plain))).kind).not.toBe('kept')
      }),
      { numRuns: roundsOf(200) },
    )
    const lossy = damaging(nifti, (result) => gzipSync(gunzipSync(result).subarray(0, -TAIL.length)))
    const pressed = await pressFile(lossy, file, 'a.nii')
    expect(pressed.outcome).toMatchObject({ kind: 'unchanged', detail: { code: 'inventory_lost' } })
    expect(pressed.bytes).toBe(file)
  })

  it('refuses a decompression bomb after the volume', async () => {
    const bomb = gzipSync(Buffer.concat([fullFile(), Buffer.alloc(3 << 20)]))
    expect(await readOrReason('nii.gz', bomb)).toBe('malformed')
  })

  it('reads damaged files or names the damage', async () => {
    const file = fullFile()
    const packed = gzipSync(file)
    for (const [format, bytes] of [
      ['nifti', file],
      ['nii.gz', Uint8Array.from(packed)],
    ] as const) {
      for (const at of damagePositions(0, bytes.length, 61)) expect(await readOrReason(format, bytes.subarray(0, at))).toBeDefined()
      for (const at of damagePositions(0, Math.min(bytes.length, 420), 1)) {
        const damaged = Uint8Array.from(bytes)
        damaged[at] = 0xff
        const read = await readOrReason(format, damaged)
        expect(typeof read === 'string' ? read : 'inventory').toMatch(/^(malformed|inventory)$/)
      }
    }
  })
})
