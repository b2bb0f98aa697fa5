/** Compares lossless TIFF and GeoTIFF by the bytes of strips and tiles only, because the peers drop fields that Whittle keeps. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import '../../wasm-hook.ts'
import { type Bench, files, type Measured, native, ours, smallest } from '../harness.ts'

const { memorySource } = await import('../../../src/core/model/source.ts')
const { readTiff } = await import('../../../src/core/containers/tiff/read-directories.ts')
const { readPixels } = await import('../../../src/core/containers/tiff/pixels.ts')

const PREDICTORS = ['1', '2', '3'] as const

export const bench: Bench = {
  title:
    'TIFF and GeoTIFF, bytes of strips and tiles, against the smallest of tiffcp (zip:1–3:p12, g4) and of GDAL (ZLEVEL=12, predictor 1–3, strips)',
  async *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-tiff-'))
    for (const path of [...files(join(corpus, 'image/tiff'), 'tif', 'tiff'), ...files(join(corpus, 'geo/geotiff'), 'tif', 'tiff')]) {
      const measured = ours(path, { out: folder })
      if (measured.outcome !== 'compressed') continue
      const result = join(folder, basename(path))
      const pictures = await codedPictures(path)
      const peers: Record<string, Measured | undefined> = {}
      for (const [peer, lines] of Object.entries(commandsOf(path))) {
        const tried: (Measured | undefined)[] = []
        for (const [command = '', ...args] of lines) {
          const out = join(folder, 'peer.tif')
          rmSync(out, { force: true })
          tried.push(await coded(native(command, [...args, path, out], out), out, pictures.length))
        }
        peers[peer] = smallest(tried)
      }
      yield { name: basename(path), ours: { ...measured, bytes: sum(await codedPictures(result)) }, peers }
      if (measured.outcome === 'compressed') rmSync(result, { force: true })
    }
    rmSync(folder, { recursive: true })
  },
}

function commandsOf(path: string): Record<string, string[][]> {
  const deflate = ['-q', '-co', 'COMPRESS=DEFLATE', '-co', 'ZLEVEL=12']
  const gdal = (...more: string[]) => PREDICTORS.map((n) => ['gdal_translate', ...deflate, '-co', `PREDICTOR=${n}`, ...more])
  return {
    tiffcp: [...PREDICTORS.map((n) => ['tiffcp', '-c', `zip:${n}:p12`]), ['tiffcp', '-c', 'g4']],
    gdal_translate: gdal(),
    ...(path.includes('geo') && { 'gdal_translate, tiles of 256': gdal('-co', 'TILED=YES') }),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** Returns a peer's result by the bytes of its pictures. `undefined`: the peer did not write all pictures. */
async function coded(measured: Measured | undefined, path: string, pictures: number): Promise<Measured | undefined> {
  if (!measured) return undefined
  const found = await codedPictures(path).catch(() => [])
  return found.length === pictures ? { ...measured, bytes: sum(found) } : undefined
}

/** Returns the bytes of the strips or tiles of each picture. */
async function codedPictures(path: string): Promise<number[]> {
  const file = await readTiff(memorySource(new Uint8Array(readFileSync(path)), basename(path)), 'tiff')
  const pictures: number[] = []
  for (const directory of file.all) {
    const pixels = await readPixels(file, directory)
    if (pixels) pictures.push(pixels.lengths.reduce((total, length) => total + length, 0))
  }
  return pictures
}
