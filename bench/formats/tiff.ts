import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Bench, files, native, ours } from '../harness.ts'

export const bench: Bench = {
  title: 'TIFF and GeoTIFF, lossless, against tiffcp zip:2:p9 and GDAL Deflate with predictor 2 (both drop fields that we keep)',
  *rows(corpus) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-tiff-'))
    for (const path of [...files(join(corpus, 'image/tiff'), 'tif', 'tiff'), ...files(join(corpus, 'geo/geotiff'), 'tif', 'tiff')]) {
      const out = join(folder, basename(path))
      const gdal = [
        '-q',
        '-co',
        'COMPRESS=DEFLATE',
        '-co',
        'PREDICTOR=2',
        '-co',
        'ZLEVEL=9',
        '-co',
        'COPY_SRC_OVERVIEWS=YES',
        path,
        `${out}.gdal.tif`,
      ]
      yield {
        name: basename(path),
        ours: ours(path),
        peers: {
          'tiffcp zip:2:p9': native('tiffcp', ['-c', 'zip:2:p9', path, `${out}.tiffcp.tif`], `${out}.tiffcp.tif`),
          gdal_translate: native('gdal_translate', gdal, `${out}.gdal.tif`),
        },
      }
    }
  },
}
