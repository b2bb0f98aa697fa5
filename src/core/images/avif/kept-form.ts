/** The form of an AVIF file in its smaller version: what the encoder is told, and whether the result has it. */
import { equalBytes } from '../../bytes/equal.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { type AvifForm, IDENTITY } from '../raster/avif-form.ts'
import type { PictureMetadata } from '../raster/raster.ts'
import type { Chroma } from './chroma.ts'
import { boxesOf, viewOf } from './container.ts'

/** Chroma format that the form allows. `undefined`: any. */
export function chromaOfForm(form: AvifForm | undefined): Chroma | undefined {
  if (form?.isGrey) return 'grey'
  // Readers refuse halved chroma with a crop at an odd pixel (ISO/IEC 23000-22, 7.3.6.7).
  const isCropped = form?.properties.some(({ box }) => latin1Of(box.subarray(4, 8)) === 'clap')
  return isCropped || form?.coding.matrix === IDENTITY ? 'full' : undefined
}

/** Name of what `carried` has and the AVIF file lacks: code points, matrix, range, rotation. `undefined`: nothing. */
export function missingForm(file: Uint8Array, { form }: PictureMetadata): string | undefined {
  if (!form) return undefined
  const meta = boxesOf(file).find(({ type }) => type === 'meta')
  const iprp = boxesOf(meta?.body.subarray(4) ?? new Uint8Array()).find(({ type }) => type === 'iprp')
  const properties = boxesOf(boxesOf(iprp?.body ?? new Uint8Array()).find(({ type }) => type === 'ipco')?.body ?? new Uint8Array())
  const { primaries, transfer, matrix, fullRange } = form.coding
  const isSigned = properties.some(({ type, body }) => {
    if (type !== 'colr' || body[0] !== 0x6e || body.length < 11) return false
    const view = viewOf(body)
    const isSame = view.getUint16(4) === primaries && view.getUint16(6) === transfer && view.getUint16(8) === matrix
    return isSame && view.getUint8(10) >= 0x80 === fullRange
  })
  if (!isSigned) return 'the colour signalling'
  const isThere = (wanted: Uint8Array) =>
    properties.some(({ type, body }) => type === latin1Of(wanted.subarray(4, 8)) && equalBytes(body, wanted.subarray(8)))
  const lost = form.properties.find(({ box }) => !isThere(box))
  return lost && `the property ${latin1Of(lost.box.subarray(4, 8))}`
}
