/** A picture as it is stored, against the upload's. */
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { type Similarity, SimilarityMeter } from '../../../quality/metrics.ts'
import { PdfSyntax } from '../objects.ts'
import type { Rows } from './rows.ts'
import { RowScaler } from './scale.ts'
import { type Size, shown } from './view.ts'

/**
 * How like the upload's picture the JPEG `data` of `size` is, pixel for pixel: `rows` that are larger are reduced to the
 * means of the areas that its pixels stand for. Both are decoded side by side, a few rows at a time.
 */
export async function storedSimilarity(rows: Rows, data: Uint8Array, size: Size): Promise<Similarity> {
  using result = await JpegRows.open(data)
  if (result.width !== size.width || result.height !== size.height || result.channels !== rows.channels)
    throw new PdfSyntax('a picture that is not what was coded')
  const scaler = new RowScaler(rows, size)
  using meter = new SimilarityMeter(size.width, size.height, rows.channels === 1 ? 1 : 3)
  for await (const strip of rows.strips) {
    for (const reduced of scaler.push(strip)) {
      const same = await result.read(reduced.length / result.stride)
      if (same) meter.push(shown(reduced, rows.channels), shown(same, rows.channels))
    }
  }
  return meter.finish()
}
