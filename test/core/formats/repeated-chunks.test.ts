/** Hostile indexes that list the same frames many times: each entry takes a few bytes and costs one decoded and encoded frame. */

import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/core/bytes/concat.ts'
import { readMovie } from '../../../src/core/containers/isobmff/movie.ts'
import { readAvi } from '../../../src/core/containers/riff/avi.ts'
import { tiff } from '../../../src/core/formats/tiff/tiff.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'
import { inEnglish } from '../../support/in-english.ts'
import { pressFile } from '../../support/press-file.ts'
import { rawAvi, rawMovie } from './media-fixtures.ts'
import { buildTiff } from './tiff/build-tiff.ts'

const at = (file: Uint8Array, id: string, from = 0) => {
  const found = Buffer.from(file).indexOf(id, from, 'latin1')
  if (found < 0) throw new Error(`no ${id}`)
  return found
}

/** Replaces the rows of `idx1`, the last chunk of the file. */
function withIndex(file: Uint8Array, rowsOf: (rows: Uint8Array[]) => Uint8Array[]): Uint8Array {
  const idx1 = at(file, 'idx1')
  const old = Array.from({ length: (file.length - idx1 - 8) / 16 }, (_, i) => file.slice(idx1 + 8 + i * 16, idx1 + 24 + i * 16))
  const rows = rowsOf(old)
  const out = concat([file.subarray(0, idx1 + 8), ...rows])
  const view = new DataView(out.buffer)
  view.setUint32(4, out.length - 8, true)
  view.setUint32(idx1 + 4, rows.length * 16, true)
  return out
}

const count = (rows: Uint8Array[], times: number) => Array.from({ length: times }, () => rows).flat()

describe('an AVI index', () => {
  it('that lists one frame 8000 times is refused before decoding', async () => {
    const film = withIndex(rawAvi(4), (rows) => count(rows.slice(0, 1), 8000))
    await expect(readAvi(memorySource(film, 'film.avi'))).rejects.toThrow(CodecError)
  })

  it('that repeats very short frames is refused even if their total is below the file size', async () => {
    const film = withIndex(rawAvi(4), (rows) =>
      count(rows.slice(0, 1), 8000).map((row) => {
        const short = row.slice()
        new DataView(short.buffer).setUint32(12, 8, true)
        return short
      }),
    )
    await expect(readAvi(memorySource(film, 'film.avi'))).rejects.toThrow(CodecError)
  })

  it('may list a frame twice', async () => {
    const film = withIndex(rawAvi(12, 64, 48, 8000), (rows) => [...rows, ...rows.slice(-2)])
    expect((await readAvi(memorySource(film, 'film.avi'))).chunks.count).toBe(26)
  })
})

/** Lists the first chunk of the first track many times. */
function withChunks(file: Uint8Array, times: number): Uint8Array {
  const stco = at(file, 'stco')
  const extra = (times - 1) * 4
  const row = file.slice(stco + 12, stco + 16)
  const out = concat([file.subarray(0, stco + 16), ...Array.from({ length: times - 1 }, () => row), file.subarray(stco + 16)])
  const view = new DataView(out.buffer)
  let from = 0
  for (const box of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stco']) {
    from = at(file, box, from)
    view.setUint32(from - 4, view.getUint32(from - 4) + extra)
  }
  view.setUint32(stco + 8, times)
  const stsz = at(file, 'stsz')
  view.setUint32(stsz + 12, view.getUint32(stsz + 12) * times)
  return out
}

describe('the tables of a MOV', () => {
  it('that list one chunk 5000 times are refused before decoding', async () => {
    await expect(readMovie(memorySource(withChunks(rawMovie(4), 5000), 'film.mov'))).rejects.toThrow(CodecError)
  })

  it('may list a chunk twice', async () => {
    using movie = await readMovie(memorySource(withChunks(rawMovie(4), 2), 'film.mov'))
    expect(movie.tracks[0]?.sampleCount).toBe(8)
  })
})

/** A picture whose first strips are stored; all other offsets point to these strips in turn. */
function withSharedStrips(strips: number, written: number): Uint8Array {
  const sparse = Array.from({ length: strips - written }, (_, i) => written + i)
  const file = buildTiff([{ width: 1024, height: strips, bits: 8, samples: 3, rowsPerStrip: 1, sparse }])
  const view = new DataView(file.buffer)
  const directory = view.getUint32(4, true)
  for (let entry = directory + 2; entry < directory + 2 + view.getUint16(directory, true) * 12; entry += 12) {
    if (![273, 279].includes(view.getUint16(entry, true))) continue
    const values = view.getUint32(entry + 8, true)
    for (let i = written; i < strips; i++) view.setUint32(values + i * 4, view.getUint32(values + (i % written) * 4, true), true)
  }
  return file
}

describe('the strips of a TIFF', () => {
  it('that are the same 2000 times are refused before decoding', async () => {
    const { outcome } = await pressFile(tiff, withSharedStrips(2000, 1), 'a.tif')
    expect(outcome).toMatchObject({ kind: 'unchanged', reason: 'over_budget' })
  })

  it('may share bytes, as in blank pictures', async () => {
    const { outcome } = await pressFile(tiff, withSharedStrips(40, 20), 'a.tif')
    expect(inEnglish(outcome)).toMatchObject({ kind: 'compressed', steps: expect.any(Array) })
  })
})
