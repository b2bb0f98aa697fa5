/** Extended XMP of JPEG files: a packet in several segments (XMP part 3, 1.1.3.1). Depth maps of phones are in it. */
import { latin1Of } from '../bytes/latin1.ts'
import type { InventoryBuilder } from './inventory.ts'
import { addXmp } from './xmp.ts'

const GUID_BYTES = 32
const HEADER_BYTES = GUID_BYTES + 8
/** Most bytes of all packets together. Parts of longer packets count as segments. */
const MOST_BYTES = 4 * 1024 * 1024
const MOST_PACKETS = 8

/** Collects the parts of extended packets by their GUID. */
export class ExtendedXmp {
  readonly #packets = new Map<string, { readonly whole: Uint8Array; filled: number }>()
  #bytes = 0

  /** Takes the content of a segment after its signature. False: it is not a part that fits, so it counts as a segment. */
  take(content: Uint8Array): boolean {
    if (content.length < HEADER_BYTES) return false
    const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
    const guid = latin1Of(content.subarray(0, GUID_BYTES))
    const [length, offset] = [view.getUint32(GUID_BYTES), view.getUint32(GUID_BYTES + 4)]
    const part = content.subarray(HEADER_BYTES)
    const known = this.#packets.get(guid)
    if (!known && (this.#bytes + length > MOST_BYTES || this.#packets.size >= MOST_PACKETS)) return false
    const packet = known ?? { whole: new Uint8Array(length), filled: 0 }
    if (packet.whole.length !== length || offset + part.length > length) return false
    packet.whole.set(part, offset)
    packet.filled += part.length
    if (!known) this.#bytes += length
    this.#packets.set(guid, packet)
    return true
  }

  /** Adds the properties of complete packets. An incomplete packet is one item. */
  addTo(builder: InventoryBuilder): void {
    for (const { whole, filled } of this.#packets.values()) {
      if (filled === whole.length) addXmp(builder, whole)
      else builder.addBytes('xmp_properties', 'incomplete XMP', whole)
    }
  }
}
