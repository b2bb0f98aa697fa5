/** Tests of the keys and estimates of syncs. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FORMATS } from '../../../src/core/catalog/index.ts'
import { promisedFormat, withObjects } from '../../../src/service/tasks/sync/estimate.ts'
import { overlap, targetKey } from '../../../src/service/tasks/sync/places.ts'
import { S3Double } from '../../support/s3-double.ts'

const place = (prefix: string) => ({ connection: 'a', prefix })
const order = (source: string, destination: string) => ({ source: place(source), destination: place(destination) })

it('keeps the key after the prefix, and gives it the extension of the result', () => {
  const toWebp = { format: FORMATS.jpg, output: 'webp' } as const
  expect(targetKey(order('in/', 'out/'), 'in/a/b.c/photo.JPG')).toBe('out/a/b.c/photo.JPG')
  expect(targetKey(order('in/', 'out/'), 'in/a/b.c/photo.JPG', toWebp)).toBe('out/a/b.c/photo.webp')
  expect(targetKey(order('', ''), 'photo', toWebp)).toBe('photo.webp')
  expect(targetKey(order('in/', 'out/'), 'in/folder/', toWebp)).toBe('out/folder/')
  expect(targetKey(order('in/', 'out/'), 'in/a.txt', { format: FORMATS.text, output: 'zst' })).toBe('out/a.txt.zst')
})

it('never makes a key of the source out of one that does not overlap', () => {
  const { settings } = new S3Double()
  const prefix = fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b', '/') })
  fc.assert(
    fc.property(prefix, prefix, prefix, (source, destination, rest) => {
      const overlaps = overlap({ settings, prefix: source }, { settings, prefix: destination })
      expect(overlap({ settings, prefix: destination }, { settings, prefix: source })).toBe(overlaps)
      if (!overlaps) expect(targetKey(order(source, destination), source + rest).startsWith(source)).toBe(false)
    }),
  )
  const elsewhere = new S3Double({ bucket: 'others' }).settings
  expect(overlap({ settings, prefix: '' }, { settings: elsewhere, prefix: '' })).toBe(false)
  expect(overlap({ settings, prefix: '' }, { settings: { ...settings, accessKeyId: 'AKIDOTHER' }, prefix: 'a/' })).toBe(true)
})

it('estimates by extension, from the account as soon as it has enough files', () => {
  expect(['a/b.JPEG', 'x.nii.gz', 'jpg', 'a.jpg/b', '.png', 'a.unheard'].map(promisedFormat)).toEqual([
    ...['jpg', 'nifti', 'unknown', 'unknown', 'png', 'unknown'],
  ])
  const files = { tasks: 10, original_size: 1000, compressed_size: 250 }
  const costs = [{ format: 'jpg', effort: 'balanced', tasks: 10, original: 1e6, cpu_ms: 3000 }] as const
  const known = { byFormat: { jpg: files, png: { ...files, tasks: 9 } }, costs }
  const first = withObjects([], [{ key: 'a.jpg', size: 2e6 }], known)
  expect(first).toEqual([{ format: 'jpg', objects: 1, originalSize: 2e6, cpuSeconds: 6, compressedSize: 5e5, basis: 'account' }])
  const both = withObjects(
    first,
    [
      { key: 'b.jpg', size: 2e6 },
      { key: 'c.png', size: 100 },
      { key: 'd', size: 7 },
    ],
    known,
  )
  expect(both.map(({ format, objects, originalSize, basis }) => [format, objects, originalSize, basis])).toEqual([
    ['jpg', 2, 4e6, 'account'],
    ['png', 1, 100, 'typical'],
    ['unknown', 1, 7, 'typical'],
  ])
  expect(both.at(-1)).toMatchObject({ compressedSize: 7, cpuSeconds: 0 })
})
