/** Pictures of lossless formats in another form or size: one door for the codecs. */

import type { AncillaryChunk } from '../../wasm/png/png.ts'
import { concat } from '../bytes/concat.ts'
import { zlibCompress } from '../bytes/deflate.ts'
import type { Options, Outcome, Sink, Source } from '../codec/codec.ts'
import { unsupported } from '../codec/error.ts'
import { lossOf } from '../codec/loss.ts'
import { withTail } from '../codec/tail.ts'
import { pictureTarget } from '../quality/levels.ts'
import type { Encoded } from './encoded.ts'
import { ENCODERS } from './encoders.ts'
import { fitted } from './fitted.ts'
import { encodeBestPng } from './png-best.ts'
import { type Raster, withoutIdleAlpha } from './raster.ts'
import { lossAgainst, type Uploaded } from './reference.ts'
import { encodeAsSeen } from './seen.ts'

/** A still picture on its way to another form. */
export interface Convertible extends Uploaded {
  /** Where it ends in its file; what stands behind is put behind the result. */
  readonly end: number
  /** Further chunks for a PNG result. */
  readonly chunks?: readonly AncillaryChunk[]
  /** What an output has no place for, in words for the receipt. */
  leftOut?(output: string): readonly string[]
}

/** Writes `picture` as `options.output`, downsampled where `options.fitWithin` says so, with what stood behind it in `source`. */
export const convertPicture = (picture: Convertible, source: Source, sink: Sink, options: Options): Promise<Outcome> =>
  withTail(source, picture.end, sink, options, (body, asked) => converted(picture, body.size, sink, asked))

async function converted(picture: Convertible, sizeLimit: number, sink: Sink, options: Options): Promise<Outcome> {
  if (options.lossless && picture.deep) throw unsupported('more than eight bits of a colour, exactly')
  const { raster, steps } = fitted(picture.raster, options)
  const { chunks, step, loss } = await encoded(picture, raster, sizeLimit, options)
  const left = picture.leftOut?.(options.output) ?? []
  if (picture.deep) steps.push('16 → 8 bits')
  if (left.length > 0) steps.push(`not kept, ${options.output} has no place for it: ${left.join(', ')}`)
  const found = await lossAgainst(picture, { chunks, ...(loss && { loss }) }, left.length > 0, options)
  for (const chunk of chunks) await sink.write(chunk)
  return { kind: 'compressed', ...lossOf(found), steps: [...steps, step] }
}

async function encoded(picture: Convertible, raster: Raster, sizeLimit: number, options: Options): Promise<Encoded> {
  const { targetSize, lossless, output } = options
  if (output === 'png') {
    const { pieces, ...best } = await encodeBestPng(raster, chunksOf(picture), Math.min(sizeLimit, targetSize ?? sizeLimit), options)
    return { chunks: pieces, ...best }
  }
  const encode = ENCODERS[output]
  if (!encode) throw unsupported(`a picture as ${output}`)
  const request = { target: pictureTarget(options.quality), targetSize, lossless, pristine: !picture.deep, options, sizeLimit }
  return await encodeAsSeen(output, encode, await withoutIdleAlpha(raster), picture.carried, request)
}

/** iCCP, eXIf and iTXt (W3C PNG, 11.3.2.3, 11.3.4.4, 11.3.3.4) of what is carried, unless the source has its own. */
function chunksOf({ carried, chunks = [] }: Convertible): AncillaryChunk[] {
  const text = (value: string) => new TextEncoder().encode(value)
  const out = [...chunks]
  const add = (type: string, data: Uint8Array) => {
    if (!out.some((chunk) => chunk.type === type)) out.push({ type, data })
  }
  if (carried.icc) add('iCCP', concat([text('ICC profile\0\0'), zlibCompress(carried.icc)]))
  if (carried.exif) add('eXIf', carried.exif)
  if (carried.xmp && !chunks.some(({ type }) => type === 'iTXt')) add('iTXt', concat([text('XML:com.adobe.xmp\0\0\0\0\0'), carried.xmp]))
  return out
}
