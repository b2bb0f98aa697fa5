/** Converts a JPEG to PNG, WebP or AVIF. */

import type { FileRange } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureTarget } from '../../catalog/levels.ts'
import { message } from '../../i18n/message.ts'
import { OUTPUT_CODECS } from '../../images/convert/output-codecs.ts'
import { encodeKeepingFloors } from '../../images/convert/output-floors.ts'
import { lossAgainst } from '../../images/convert/reference.ts'
import { encodeLosslessPng } from '../../images/png/encode-exact.ts'
import { ScoredFile } from '../../images/search/scored-file.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { lossOf } from '../../model/loss.ts'
import { droppedMetadata, metadataOf, rejectConversion } from './carried.ts'
import { decodedPicture, fullSizePicture } from './picture.ts'
import { type JpegHeader, lateSegments } from './segments.ts'

export async function convert(
  source: Source,
  sink: Sink,
  header: JpegHeader,
  options: Options,
): Promise<Outcome & { readonly evidence?: ScoredFile }> {
  const encode = options.output === 'png' ? encodeLosslessPng : OUTPUT_CODECS[options.output]?.encode
  if (!encode) throw unsupported(message('jpg_to', { output: options.output }))
  const carried = metadataOf(header)
  let latePlaces: readonly FileRange[] = []
  const { raster, steps } = decodedPicture(source, header, options, (read) => {
    if (read.endOffset < source.size) rejectConversion('data_after_picture')
    latePlaces = read.lateSegments
  })
  const { targetSize, lossless } = options
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: false, options, sizeLimit: source.size }
  const encoded = await encodeKeepingFloors(options.output, encode, raster, carried, request)
  const lateOnes = await lateSegments(source, latePlaces)
  const dropped = [
    ...droppedMetadata(header.segments, carried, options.output),
    ...(lateOnes.length > 0 ? droppedMetadata(lateOnes, {}, '') : []),
  ]
  if (dropped.length > 0) steps.push(message('not_kept_no_place', { output: options.output, what: dropped }))
  const isIncomplete = dropped.length > 0 || header.components === 4
  const loss = await lossAgainst({ raster: fullSizePicture(source, header), carried }, encoded, isIncomplete, options)
  // Before the sink takes the chunks.
  const evidence = ScoredFile.evidenceOf(encoded)
  for (const chunk of encoded.chunks) await sink.write(chunk)
  return { kind: 'compressed', ...lossOf(loss), steps: [...steps, encoded.step], ...evidence }
}
