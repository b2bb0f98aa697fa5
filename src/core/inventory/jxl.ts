/**
 * Reads the inventory of JPEG XL results (ISO/IEC 18181-1 and -2). The ICC profile is compressed, so its item only says that there is one;
 * the codec compares its bytes.
 */
import type { Source } from '../model/codec.ts'
import { addExif } from './exif.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { JxlBits } from './jxl-bits.ts'
import { partOf } from './ranges.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const MOST_XMP_BYTES = 4 * 1024 * 1024
/** Most boxes of a result. */
const MOST_BOXES = 10_000
/** Bytes of the codestream in which its headers end, before the profile. */
const HEADER_BYTES = 64
/** Bytes of the offset of the TIFF header in an Exif box, and of the number of a `jxlp` box. */
const PREFIX_BYTES = 4
const PROFILE = 'profile'

interface Box {
  readonly type: string
  readonly at: number
  readonly length: number
}

async function readJxl(view: FileView): Promise<Inventory> {
  const builder = new InventoryBuilder()
  let hasCodestream = false
  for await (const { type, at, length } of boxesOf(view)) {
    if (type === 'Exif') await addExif(builder, partOf(view, at + PREFIX_BYTES, Math.max(0, length - PREFIX_BYTES)))
    else if (type === 'xml ' && length <= MOST_XMP_BYTES) addXmp(builder, (await view.bytes(at, length)).slice())
    else if ((type === 'jxlc' || type === 'jxlp') && !hasCodestream) {
      hasCodestream = true
      const from = type === 'jxlp' ? at + PREFIX_BYTES : at
      const head = (await view.bytesUpTo(from, Math.min(HEADER_BYTES, at + length - from))).slice()
      if (head[0] !== 0xff || head[1] !== 0x0a) throw view.malformed(from)
      addColour(builder, view, new JxlBits(head.subarray(2), () => view.malformed(from)))
    }
  }
  if (!hasCodestream) throw view.malformed(0)
  return builder.build()
}

async function* boxesOf(view: FileView): AsyncGenerator<Box> {
  for (let at = 0, count = 0; at < view.size; count++) {
    const head = Fields.big((await view.bytesUpTo(at, 16)).slice())
    if (head.length < 8 || count >= MOST_BOXES) throw view.malformed(at)
    const short = head.u32(0)
    const header = short === 1 ? 16 : 8
    const size = short === 1 && head.length === 16 ? head.u64(8) : short === 0 ? view.size - at : short
    if (size < header || at + size > view.size) throw view.malformed(at)
    yield { type: head.text(4, 8), at: at + header, length: size - header }
    at += size
  }
}

/** Adds the profile, if the headers announce one. Results have no preview, no animation and no intrinsic size. */
function addColour(builder: InventoryBuilder, view: FileView, bits: JxlBits): void {
  bits.skipSize()
  if (bits.flag()) return // all metadata have default values: sRGB
  if (bits.flag()) {
    const [turn, hasSize, hasPreview, hasAnimation] = [bits.number(3), bits.flag(), bits.flag(), bits.flag()]
    if (turn > 0) builder.add('rotation', `orientation = ${turn + 1}`)
    if (hasSize || hasPreview || hasAnimation) throw view.malformed(0)
  }
  bits.skipBitDepth()
  bits.flag() // modular buffers of 16 bits
  const channels = bits.choice([[0], [1], [2, 4], [1, 12]])
  for (let i = 0; i < channels; i++) bits.skipExtraChannel()
  bits.flag() // XYB
  const isDefault = bits.flag()
  if (!isDefault && bits.flag()) builder.add('icc_profile', PROFILE)
}

export const JXL_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal) => readJxl(new FileView(source, 'jxl', signal)),
}

const ORIGINALS = new WeakMap<InventoryReader, InventoryReader>()

/** Returns a reader of originals that become JPEG XL, whose profile has the item of that format. */
export function asOriginalOfJxl(reader: InventoryReader): InventoryReader {
  const known = ORIGINALS.get(reader) ?? {
    ...reader,
    read: async (source: Source, signal: AbortSignal) => {
      const builder = new InventoryBuilder()
      for (const [kind, items] of await reader.read(source, signal))
        for (const [item, count] of items)
          builder.add(kind, kind === 'icc_profile' && item.startsWith(`${PROFILE} = `) ? PROFILE : item, count)
      return builder.build()
    },
  }
  ORIGINALS.set(reader, known)
  return known
}
