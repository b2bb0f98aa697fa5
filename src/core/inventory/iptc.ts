/** Inventory of Photoshop image resources and IPTC records (IPTC-IIM 4.2; Adobe Photoshop file format). */
import { latin1Of } from '../bytes/latin1.ts'
import { textOfBytes } from './decode-text.ts'
import { digestOf } from './digest.ts'
import type { InventoryBuilder } from './inventory.ts'

/** Names of data sets of record 2 (IPTC-IIM 4.2, chapter 6). Others appear by number. */
const NAMES: { readonly [dataSet: number]: string } = {
  3: 'ObjectTypeReference',
  5: 'ObjectName',
  7: 'EditStatus',
  10: 'Urgency',
  12: 'SubjectReference',
  15: 'Category',
  20: 'SupplementalCategories',
  22: 'FixtureIdentifier',
  25: 'Keywords',
  26: 'ContentLocationCode',
  27: 'ContentLocationName',
  30: 'ReleaseDate',
  35: 'ReleaseTime',
  40: 'SpecialInstructions',
  55: 'DateCreated',
  60: 'TimeCreated',
  62: 'DigitalCreationDate',
  63: 'DigitalCreationTime',
  65: 'OriginatingProgram',
  80: 'By-line',
  85: 'By-lineTitle',
  90: 'City',
  92: 'Sub-location',
  95: 'Province-State',
  100: 'Country-PrimaryLocationCode',
  101: 'Country-PrimaryLocationName',
  103: 'OriginalTransmissionReference',
  105: 'Headline',
  110: 'Credit',
  115: 'Source',
  116: 'CopyrightNotice',
  118: 'Contact',
  120: 'Caption-Abstract',
  121: 'LocalCaption',
  122: 'Writer-Editor',
}

/** Version numbers and character set of the records, which describe the encoding (IPTC-IIM 4.2, 1:00, 1:90, 2:00). */
const ENCODING: ReadonlySet<string> = new Set(['1:0', '1:90', '2:0'])
const MARKER = 0x1c
const MOST_LISTED_BYTES = 64 * 1024

/** Adds the data sets of IPTC records. Data sets of the same name are one item with all values. */
function addIptc(builder: InventoryBuilder, records: Uint8Array): void {
  const values = new Map<string, string[]>()
  let at = 0
  while (at + 5 <= records.length && records[at] === MARKER) {
    const [record, dataSet] = [records[at + 1]!, records[at + 2]!]
    const size = sizeAt(records, at + 3)
    if (!size || size.end > records.length) break
    if (!ENCODING.has(`${record}:${dataSet}`)) {
      const name = (record === 2 ? NAMES[dataSet] : undefined) ?? `${record}:${dataSet}`
      const known = values.get(name)
      const text = shownValue(records.subarray(size.start, size.end))
      if (known) known.push(text)
      else values.set(name, [text])
    }
    at = size.end
  }
  for (const [name, texts] of values) builder.add('iptc_fields', `${name} = ${texts.join('; ')}`)
  const rest = records.subarray(at)
  if (rest.some((byte) => byte !== 0)) builder.addBytes('iptc_fields', 'unreadable IPTC', rest)
}

/** Range of a value, from its size field: two bytes, or the number of bytes of a longer field (IPTC-IIM 4.2, 1.5). */
function sizeAt(records: Uint8Array, at: number): { start: number; end: number } | undefined {
  const short = (records[at]! << 8) | records[at + 1]!
  if (short < 0x8000) return { start: at + 2, end: at + 2 + short }
  const digits = short & 0x7fff
  if (digits > 4 || at + 2 + digits > records.length) return undefined
  let size = 0
  for (let i = 0; i < digits; i++) size = size * 256 + records[at + 2 + i]!
  return { start: at + 2 + digits, end: at + 2 + digits + size }
}

function shownValue(bytes: Uint8Array): string {
  if (bytes.length > MOST_LISTED_BYTES) return `${bytes.length} bytes #${digestOf(bytes)}`
  return textOfBytes(bytes).replaceAll('\0', ' ')
}

const IPTC = 0x0404
const THUMBNAILS: ReadonlySet<number> = new Set([0x0409, 0x040c])
/** Resources that describe the old encoding: resolution for printing, JPEG quality, program versions, digest of the IPTC record. */
const OF_ENCODING: ReadonlySet<number> = new Set([0x03ed, 0x0406, 0x0421, 0x0425])

/** Adds the image resources of a Photoshop block, without its `Photoshop 3.0` signature. */
export function addPhotoshop(builder: InventoryBuilder, block: Uint8Array): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength)
  let at = 0
  while (at + 12 <= block.length && /^(?:8BIM|PHUT|DCSR|AgHg|MeSa)$/.test(latin1Of(block.subarray(at, at + 4)))) {
    const id = view.getUint16(at + 4)
    const nameBytes = (block[at + 6]! + 2) & ~1
    const sizeAtByte = at + 6 + nameBytes
    if (sizeAtByte + 4 > block.length) break
    const size = view.getUint32(sizeAtByte)
    const start = sizeAtByte + 4
    if (start + size > block.length) break
    addResource(builder, id, block.subarray(start, start + size))
    at = start + ((size + 1) & ~1)
  }
  const rest = block.subarray(at)
  if (rest.some((byte) => byte !== 0)) builder.addBytes('iptc_fields', 'unreadable Photoshop resources', rest)
}

function addResource(builder: InventoryBuilder, id: number, content: Uint8Array): void {
  if (id === IPTC) addIptc(builder, content)
  else if (THUMBNAILS.has(id)) builder.addBytes('further_pictures', 'Photoshop thumbnail', content)
  else if (!OF_ENCODING.has(id)) builder.addBytes('iptc_fields', `Photoshop 0x${id.toString(16).padStart(4, '0')}`, content)
}
