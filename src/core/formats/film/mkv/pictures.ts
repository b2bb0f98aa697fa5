import { latin1Of } from '../../../bytes/latin1.ts'
import { ATTACHED_FILE, FILE_DATA, FILE_MEDIA_TYPE } from '../../../containers/ebml/matroska.ts'
import type { Options } from '../../../model/codec.ts'
import { type Child, type Content, childrenOf, rootOf } from './content.ts'

/** Returns attached JPEG and PNG pictures that become smaller without loss, by the index of their data. */
export async function smallerPictures(content: Content, { inner }: Options): Promise<ReadonlyMap<number, Uint8Array>> {
  const smaller = new Map<number, Uint8Array>()
  for (const file of childrenOf(content, 0, rootOf(content).end)) {
    const data = pictureIn(content, file)
    if (!data) continue
    const pressed = await inner.compress(content.bytes.slice(data.bodyAt, data.end), `cover.${data.extension}`, { lossless: true })
    if (pressed.kind === 'compressed' && pressed.bytes.length < data.end - data.bodyAt) smaller.set(data.bodyAt, pressed.bytes)
  }
  return smaller
}

/** Data of an attached file that is a picture. `undefined`: it is another file, or has no data. */
export function pictureIn(content: Content, file: Child): (Child & { readonly extension: 'jpg' | 'png' }) | undefined {
  if (file.id !== ATTACHED_FILE) return undefined
  let [data, type]: [Child | undefined, string] = [undefined, '']
  for (const child of childrenOf(content, file.bodyAt, file.end)) {
    if (child.id === FILE_DATA) data ??= child
    else if (child.id === FILE_MEDIA_TYPE) type = latin1Of(content.bytes.subarray(child.bodyAt, child.end)).replace(/\0+$/, '')
  }
  const extension = type === 'image/png' ? 'png' : type === 'image/jpeg' ? 'jpg' : undefined
  return data && extension && { ...data, extension }
}
