/** Compresses pictures embedded in an SVG (`data:image/png;base64,…`) losslessly with their own codecs. */

import { base64Of, bytesOfBase64 } from '../../bytes/base64.ts'
import { estimatePictureSeconds } from '../../embedded/cpu-estimate.ts'
import { readPictureHeader } from '../../embedded/image-header.ts'
import type { Inner } from '../../model/codec.ts'

const DATA_IMAGE = /data:image\/(png|jpeg|jpg|gif|bmp);base64,([A-Za-z0-9+/=\s]{400,})/g

export async function compressImages(text: string, inner: Inner): Promise<{ text: string; images: number }> {
  let images = 0
  const parts: string[] = []
  let done = 0
  for (const match of text.matchAll(DATA_IMAGE)) {
    const [whole, type = '', encoded = ''] = match
    const bytes = fromBase64(encoded)
    const facts = bytes && readPictureHeader(bytes)
    if (!bytes || (facts && inner.time?.take(estimatePictureSeconds(facts, bytes.length)) === false)) continue
    const result = await inner.compress(bytes, `image.${type}`, { lossless: true })
    if (result.kind !== 'compressed') continue
    parts.push(text.slice(done, match.index), `data:image/${type};base64,${base64Of(result.bytes)}`)
    done = match.index + whole.length
    images++
  }
  return { text: images === 0 ? text : parts.join('') + text.slice(done), images }
}

function fromBase64(encoded: string): Uint8Array | undefined {
  const plain = encoded.replace(/\s+/g, '')
  const bytes = bytesOfBase64(plain)
  // The data is valid base64 only if encoding it again gives the same text.
  return base64Of(bytes).replace(/=+$/, '') === plain.replace(/=+$/, '') ? bytes : undefined
}
