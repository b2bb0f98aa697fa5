/**
 * Adds metadata to AVIF files, because the encoder writes pixels only. EXIF and XMP become items that describe the primary item. The ICC
 * profile becomes a colour property of that item (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, Annex A; ISO/IEC 23000-22).
 */

import { concat } from '../../bytes/concat.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { box, boxes, boxOf, halfWords, latin1Bytes, u32At, words } from '../../containers/isobmff/box.ts'
import type { KeptProperty } from '../raster/avif-form.ts'
import { type ColourSignalling, nclxBox, signalledSequence } from '../raster/colour-signalling.ts'
import type { PictureMetadata } from '../raster/raster.ts'

interface Content {
  readonly type: string
  /** Content of a box, without its size and type fields. */
  readonly body: Uint8Array
}

/** Returns all boxes of `bytes`. @throws Error if a box has no plain 32-bit size, which libavif always writes */
export function boxesOf(bytes: Uint8Array): Content[] {
  const found: Content[] = []
  let next = 0
  for (const { type, start, body, end } of boxes(bytes, 0, bytes.length)) {
    if (body - start !== 8 || u32At(bytes, start) === 0) break
    found.push({ type, body: bytes.subarray(body, end) })
    next = end
  }
  if (next + 8 <= bytes.length) throw new Error('AVIF encoder output: a box has no 32-bit size, or bytes follow the last box')
  return found
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Item locations of an `iloc` box. Only the form that libavif writes is read: version 0, one extent an item, 32-bit file offsets. */
export function itemLocations(body: Uint8Array): { id: number; offset: number; length: number }[] {
  const view = viewOf(body)
  if (view.getUint8(0) !== 0 || view.getUint8(4) !== 0x44 || view.getUint8(5) !== 0)
    throw new Error('AVIF encoder output: the iloc box is not version 0 with 4-byte offsets and lengths')
  const items: { id: number; offset: number; length: number }[] = []
  let at = 8
  for (let i = 0; i < view.getUint16(6); i++, at += 14) {
    if (view.getUint16(at + 4) !== 1) throw new Error('AVIF encoder output: an item has more than one extent')
    items.push({ id: view.getUint16(at), offset: view.getUint32(at + 6), length: view.getUint32(at + 10) })
  }
  return items
}

function ilocBox(items: readonly { id: number; offset: number; length: number }[]): Uint8Array {
  const entries = items.map(({ id, offset, length }) => concat([halfWords(id, 0, 1), words(offset, length)]))
  return boxOf('iloc', [words(0), new Uint8Array([0x44, 0]), halfWords(items.length), ...entries])
}

/** Properties to add to items, by id. */
type AddedProperties = ReadonlyMap<number, readonly KeptProperty[]>

/** Returns the `iprp` box with properties added to items. */
function withProperties(iprp: Uint8Array, added: AddedProperties): Uint8Array {
  const [ipco, ipma] = boxesOf(iprp)
  if (ipco?.type !== 'ipco' || ipma?.type !== 'ipma')
    throw new Error('AVIF encoder output: the iprp box does not hold one ipco and one ipma box')
  const more: Uint8Array[] = []
  let index = boxesOf(ipco.body).length
  const view = viewOf(ipma.body)
  if (view.getUint32(0) !== 0 || index + [...added.values()].flat().length > 127)
    throw new Error('AVIF encoder output: the ipma box is not version 0, or has more than 127 properties')
  const parts = [ipma.body.subarray(0, 8)]
  let at = 8
  for (let i = 0; i < view.getUint32(4); i++) {
    const id = view.getUint16(at)
    const count = view.getUint8(at + 2)
    const associations = ipma.body.subarray(at + 3, at + 3 + count)
    const own = added.get(id) ?? []
    for (const { box: property } of own) more.push(property)
    const indices = own.map(({ essential }) => ++index | (essential ? 0x80 : 0))
    parts.push(halfWords(id), new Uint8Array([count + own.length]), associations, new Uint8Array(indices))
    at += 3 + count
  }
  return box('iprp', box('ipco', ipco.body, ...more), boxOf('ipma', parts))
}

/**
 * Returns the file of one picture with the colour primaries and transfer function of `signalling`, in its `nclx` property and its first
 * OBUs.
 */
function withSignalling(file: Uint8Array, signalling: ColourSignalling): Uint8Array {
  const copy = file.slice()
  const inner = boxesOf(
    boxesOf(copy)
      .find(({ type }) => type === 'meta')
      ?.body.subarray(4) ?? new Uint8Array(),
  )
  const bodyOf = (type: string) => inner.find((found) => found.type === type)?.body ?? new Uint8Array()
  const properties = boxesOf(boxesOf(bodyOf('iprp')).find(({ type }) => type === 'ipco')?.body ?? new Uint8Array())
  for (const { type, body } of properties) if (type === 'colr' && body[0] === 0x6e) body.set(nclxBox(signalling, body).subarray(8))
  const primary = viewOf(bodyOf('pitm')).getUint16(4)
  const frame = itemLocations(bodyOf('iloc')).find(({ id }) => id === primary)
  if (frame) copy.set(signalledSequence(copy.subarray(frame.offset, frame.offset + frame.length), signalling), frame.offset)
  return copy
}

/** Profile and kept properties of the picture, and of its alpha plane, which the encoder numbers next. */
function addedProperties(primary: number, { icc, form }: PictureMetadata): AddedProperties {
  const profile = icc ? [{ box: box('colr', latin1Bytes('prof'), icc), essential: false }] : []
  return new Map([
    [primary, [...profile, ...(form?.properties ?? [])]],
    [primary + 1, form?.alphaProperties ?? []],
  ])
}

/** Returns the AVIF file with the metadata added. A file without metadata to add is returned unchanged. */
export function withMetadata(plain: Uint8Array, carried: PictureMetadata): Uint8Array {
  const { icc, xmp, signalling, form } = carried
  const exif = form?.exif ?? carried.exif
  const file = signalling ? withSignalling(plain, signalling) : plain
  if (!icc && !exif && !xmp && !form) return file
  const outer = boxesOf(file)
  const meta = outer.find(({ type }) => type === 'meta')
  if (!meta) throw new Error('AVIF encoder output: no meta box')
  const inner = boxesOf(meta.body.subarray(4))
  const bodyOf = (type: string) => inner.find((found) => found.type === type)?.body ?? new Uint8Array()
  const primary = viewOf(bodyOf('pitm')).getUint16(4)
  const items = itemLocations(bodyOf('iloc'))
  const first = maxOf(items.map(({ id }) => id)) + 1
  // The 4-byte field exif_tiff_header_offset precedes the TIFF header (ISO/IEC 23008-12, A.2.1).
  const added = [
    ...(exif ? [{ type: 'Exif', extra: new Uint8Array(), data: concat([words(0), exif]) }] : []),
    ...(xmp ? [{ type: 'mime', extra: latin1Bytes('application/rdf+xml\0'), data: xmp }] : []),
  ].map((item, i) => ({ ...item, id: first + i }))
  const infe = added.map(({ id, type, extra }) =>
    box('infe', new Uint8Array([2, 0, 0, 1]), halfWords(id, 0), latin1Bytes(type), new Uint8Array(1), extra),
  )
  const iinf = bodyOf('iinf')
  const entries = concat([iinf.subarray(6), ...infe])
  const references = added.map(({ id }) => box('cdsc', halfWords(id, 1, primary)))
  const oldReferences = inner.find(({ type }) => type === 'iref')?.body

  const build = (shift: number, dataAt: number): Uint8Array => {
    let at = dataAt
    const moved = items.map((item) => ({ ...item, offset: item.offset + shift }))
    const located = added.map(({ id, data }) => {
      const offset = at
      at += data.length
      return { id, offset, length: data.length }
    })
    const parts = inner.flatMap(({ type, body }) => {
      if (type === 'iloc') return [ilocBox([...moved, ...located])]
      if (type === 'iinf') return [box('iinf', iinf.subarray(0, 4), halfWords(viewOf(iinf).getUint16(4) + added.length), entries)]
      if (type === 'iprp') return [withProperties(body, addedProperties(primary, carried))]
      if (type === 'iref') return []
      return [box(type, body)]
    })
    const iref = references.length + (oldReferences ? 1 : 0) > 0 ? [box('iref', oldReferences ?? words(0), ...references)] : []
    return boxOf('meta', [meta.body.subarray(0, 4), ...parts, ...iref])
  }

  const shift = build(0, 0).length - (meta.body.length + 8)
  const end = file.length + shift
  const result = outer.map((outerBox) => (outerBox === meta ? build(shift, end + 8) : box(outerBox.type, outerBox.body)))
  return concat([...result, ...(added.length > 0 ? [box('mdat', ...added.map(({ data }) => data))] : [])])
}
