import { gunzipSync, gzipSync, inflateRawSync } from 'node:zlib'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import { describe, expect, it } from 'vitest'
import { readNiftiHeader } from '../../../src/core/formats/nifti/header.ts'
import { nifti } from '../../../src/core/formats/nifti/nifti.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { identify } from '../../../src/core/pipeline/identify.ts'
import { withFidelity } from '../../support/fidelity.ts'
import { pressFile } from '../../support/press-file.ts'
import { randomNumbers } from '../../support/random-numbers.ts'
import { roundsOf } from '../../support/thorough.ts'

/** A volume of int16 voxels: a smooth blob with noise. */
function volume(version: 1 | 2, littleEndian: boolean, [x, y, z]: [number, number, number], extensionBytes = 4): Uint8Array {
  const headerBytes = version === 1 ? 348 : 540
  const offset = headerBytes + extensionBytes
  const file = new Uint8Array(offset + x * y * z * 2)
  const view = new DataView(file.buffer)
  view.setInt32(0, headerBytes, littleEndian)
  const dimensions = [3, x, y, z, 1, 1, 1, 1]
  if (version === 1) {
    for (const [i, length] of dimensions.entries()) view.setInt16(40 + 2 * i, length, littleEndian)
    view.setInt16(70, 4, littleEndian)
    view.setInt16(72, 16, littleEndian)
    view.setFloat32(108, offset, littleEndian)
    file.set(new TextEncoder().encode('n+1\0'), 344)
  } else {
    file.set([0x6e, 0x2b, 0x32, 0, 13, 10, 26, 10], 4)
    view.setInt16(12, 4, littleEndian)
    view.setInt16(14, 16, littleEndian)
    for (const [i, length] of dimensions.entries()) view.setBigInt64(16 + 8 * i, BigInt(length), littleEndian)
    view.setBigInt64(168, BigInt(offset), littleEndian)
  }
  const random = randomNumbers(x)
  for (let i = 0; i < x * y * z; i++) {
    const distance = Math.hypot((i % x) - x / 2, (Math.floor(i / x) % y) - y / 2)
    view.setInt16(offset + 2 * i, 800 / (1 + distance) + random() * 8, littleEndian)
  }
  return file
}

const SIZE: [number, number, number] = [40, 30, 20]
const press = (bytes: Uint8Array, name = 'a.nii', output?: 'zst' | 'br' | 'gz') => pressFile(nifti, bytes, name, output ? { output } : {})

describe('nifti', () => {
  describe.each([1, 2] as const)('NIfTI-%i', (version) => {
    it.each([true, false])('little endian: %s', async (littleEndian) => {
      const file = volume(version, littleEndian, SIZE)
      expect(readNiftiHeader(file)).toMatchObject({ version, littleEndian, single: true, endOfVolume: file.length })
      expect((await identify(memorySource(file, 'a')))?.id).toBe('nifti')
      const { outcome, bytes } = await press(file)
      expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
      expect(Buffer.compare(gunzipSync(bytes), file)).toBe(0)
      expect(bytes.length).toBeLessThan(gzipSync(file, { level: 9 }).length)
      expect((await identify(memorySource(bytes, 'a.nii.gz')))?.id).toBe('nifti')
    })
  })

  it('writes one gzip member, for readers that stop after the first', async () => {
    // Large enough for several Deflate segments, the last one not full.
    const file = volume(1, true, [150, 110, 70])
    const { bytes } = await press(file)
    const { engine, buffer } = inflateRawSync(bytes.subarray(10), { info: true }) as unknown as {
      engine: { bytesWritten: number }
      buffer: Buffer
    }
    expect(engine.bytesWritten).toBe(bytes.length - 10 - 8)
    expect(Buffer.compare(buffer, file)).toBe(0)
  })

  it('deflates .nii.gz again', async () => {
    const file = volume(1, true, SIZE)
    const loose = gzipSync(file, { level: 1 })
    const { outcome, bytes } = await press(loose, 'a.nii.gz')
    expect(outcome.kind).toBe('compressed')
    expect(bytes.length).toBeLessThan(loose.length)
    expect(Buffer.compare(gunzipSync(bytes), file)).toBe(0)
    // A second pass finds no gain and returns the file unchanged.
    expect((await press(bytes, 'a.nii.gz')).outcome).toMatchObject({ kind: 'unchanged', reason: 'no_gain' })
  })

  it('reads several gzip members', async () => {
    const file = volume(2, true, SIZE)
    const members = Buffer.concat([gzipSync(file.subarray(0, 20_000), { level: 1 }), gzipSync(file.subarray(20_000), { level: 1 })])
    const { bytes } = await press(members, 'a.nii.gz')
    expect(Buffer.compare(gunzipSync(bytes), file)).toBe(0)
  })

  it('keeps extensions and bytes after the volume', async () => {
    const file = Buffer.concat([volume(1, true, SIZE, 4 + 64), Buffer.alloc(777, 'x')])
    const { bytes } = await press(file)
    expect(Buffer.compare(gunzipSync(bytes), file)).toBe(0)
  })

  it('keeps a pair in a ZIP archive and deflates it better', async () => {
    const file = volume(1, true, SIZE)
    const header = file.slice(0, 348)
    header.set(new TextEncoder().encode('ni1\0'), 344)
    new DataView(header.buffer).setFloat32(108, 0, true)
    const writer = new ZipWriter(new Uint8ArrayWriter(), { level: 1 })
    await writer.add('scan.hdr', new Uint8ArrayReader(header))
    await writer.add('scan.img', new Uint8ArrayReader(file.subarray(352)))
    const archive = await writer.close()
    expect((await identify(memorySource(archive, 'scan.zip')))?.id).toBe('nifti')
    const { outcome, bytes } = await press(archive, 'scan.zip')
    expect(outcome).toMatchObject({ kind: 'compressed', output: 'nifti' })
    expect(bytes.length).toBeLessThan(archive.length)
    const entries = await new ZipReader(new Uint8ArrayReader(bytes)).getEntries()
    expect(entries.map(({ filename }) => filename)).toEqual(['scan.hdr', 'scan.img'])
    const image = entries[1]!
    if (image.directory) throw new Error('an image is no folder')
    expect(Buffer.compare(await image.getData(new Uint8ArrayWriter()), file.subarray(352))).toBe(0)
  })

  it.each(['zst', 'br', 'gz'] as const)('wraps the file as %s on request', async (output) => {
    const { outcome } = await press(volume(1, true, SIZE), 'a.nii', output)
    expect(outcome.kind).toBe('compressed')
  })

  describe('bad input is returned unchanged', () => {
    const sound = volume(1, true, SIZE)
    it('survives truncation of plain and compressed files', async () => {
      const packed = gzipSync(sound)
      for (const share of [0.05, 0.5, 0.999]) {
        for (const file of [sound, packed]) {
          const cut = file.slice(0, Math.max(400, file.length * share))
          expect((await press(cut)).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
        }
      }
    })

    it('returns a file with a wrong checksum unchanged', async () => {
      const packed = gzipSync(sound)
      packed[packed.length - 6]! ^= 1
      expect((await press(packed, 'a.nii.gz')).outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    })

    it('rejects a decompression bomb: more bytes than the header states', async () => {
      const bomb = gzipSync(Buffer.concat([sound, Buffer.alloc(80_000_000)]))
      const { outcome } = await press(bomb, 'a.nii.gz')
      expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'malformed' })
    })

    it.each([
      ['no dimensions', 40, [0, 0], 'malformed'],
      ['eight dimensions', 40, [8, 0], 'malformed'],
      ['a volume far behind the end', 42, [0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f], 'over_budget'],
      ['no bits a voxel', 72, [0, 0], 'malformed'],
      ['an offset that is no number', 108, [0, 0, 0xc0, 0x7f], 'malformed'],
      ['a header without its image', 344, [0x6e, 0x69, 0x31], 'unsupported_feature'],
    ])('rejects %s', async (_, at, patch, reason) => {
      const file = sound.slice()
      file.set(patch, at)
      expect((await press(file)).outcome).toMatchObject({ kind: 'unchanged', reason })
    })

    it('survives flipped bits in the header and in a compressed stream', async () => {
      const random = randomNumbers(4)
      const packed = gzipSync(sound, { level: 1 })
      for (let i = 0; i < roundsOf(80); i++) {
        const file = (i % 2 ? packed : sound).slice()
        file[Math.floor(random() * (i % 2 ? file.length : 352))]! ^= 1 << (random() * 8)
        const { defect } = await press(file)
        expect(defect).toBeUndefined()
      }
    })
  })
})
