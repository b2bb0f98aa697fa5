/** Writes the objects of a document in the order of a linearised file. Only linearised sources are linearised again. */
import { latin1Of } from '../../../bytes/latin1.ts'
import { Lexer } from '../lexer.ts'
import { Dict, nameOf, numberOr, type PdfObject, Stream } from '../objects.ts'
import { TRAILER_KEYS } from '../reachable-objects.ts'
import type { Reader } from '../reader.ts'
import { type RewritePlan, Rewriter } from '../rewrite.ts'
import { serialise } from '../serialise.ts'
import type { Layout, Unit } from './layout.ts'
import type { LinearFile } from './linear-file.ts'
import { INLINED_KEYS, inlineColourSpace } from './users.ts'

const HEAD_BYTES = 1024

/**
 * True if the first object is a linearisation dictionary and its /L equals the file size, so no update followed (ISO 32000-2, table F.1).
 */
export async function isLinearised(reader: Reader): Promise<boolean> {
  const head = await reader.ranges.read(0, HEAD_BYTES)
  const text = latin1Of(head)
  const start = /\b\d+\s+\d+\s+obj\s*<</.exec(text)
  if (!start || !text.includes('/Linearized')) return false
  try {
    const object = new Lexer(head, start.index + start[0].length - 2, false).object()
    return object instanceof Dict && object.has('Linearized') && numberOr(object.get('L'), -1) === reader.ranges.size
  } catch {
    return false
  }
}

/** Maximum number of objects. Scan and layout take about 30 bytes per object. */
const MAX_OBJECTS = 300_000
const MAX_SHARED_ENTRIES = 300_000
/** Maximum size in bytes of the part before the first page, which stays in memory until the end. */
const MAX_FRONT_BYTES = 4 * 1024 * 1024
const XREF_ENTRY_BYTES = 20
const HINT_BYTES = { page: 24, shared: 8, reference: 3 }

export const isSmallEnough = (reader: Reader): boolean => reader.xref.size <= MAX_OBJECTS

/** True if the part before the first page fits into the memory limit at its largest possible size. */
export async function fitsInFront(reader: Reader, layout: Layout): Promise<boolean> {
  const references = layout.sharedBy.reduce((sum, list) => sum + list.length, 0)
  if (references > MAX_SHARED_ENTRIES) return false
  let bytes = (layout.size - layout.firstHalf) * XREF_ENTRY_BYTES + references * HINT_BYTES.reference
  bytes += (layout.pages.length + 1) * HINT_BYTES.page + (layout.firstPage.length + layout.shared.length) * HINT_BYTES.shared
  for (const member of layout.opening.flatMap((unit) => unit.members)) {
    const object = await reader.get(member)
    bytes += object instanceof Stream ? await reader.length(object) : serialise(object, () => '8388607 0 R').length
    if (bytes > MAX_FRONT_BYTES) return false
  }
  return true
}

export class LinearRewriter extends Rewriter {
  private readonly file: LinearFile
  private readonly layout: Layout

  constructor(reader: Reader, file: LinearFile, plan: RewritePlan, layout: Layout) {
    super(reader, file, plan)
    this.file = file
    this.layout = layout
    this.numbers = layout.numbers
  }

  override async run(): Promise<void> {
    const { reader, file } = this
    const trailer = new Dict()
    for (const key of TRAILER_KEYS) {
      const value = reader.trailer.get(key)
      if (value !== undefined && value !== null) trailer.set(key, value)
    }
    await file.write({
      version: reader.version,
      layout: this.layout,
      trailer,
      refText: this.refText,
      maxOffset: reader.ranges.size,
      writeUnit: (unit) => this.unit(unit),
    })
  }

  private async unit(unit: Unit): Promise<void> {
    this.plan.signal.throwIfAborted()
    if (unit.packed) {
      const entries: { number: number; object: PdfObject }[] = []
      for (const member of unit.members) entries.push({ number: this.numbers[member]!, object: this.kept(await this.reader.get(member)) })
      await this.file.packed(unit.number, entries, this.refText)
      return
    }
    const [member] = unit.members
    const object = await this.reader.get(member!)
    if (object instanceof Stream) await this.stream(member!, object)
    else await this.file.plain(unit.number, this.kept(object), this.refText)
  }

  /** In a linearised file, long values stay in the stream dictionary, and some references are replaced by their values. */
  protected override async hoist(original: Dict): Promise<Dict> {
    const dict = new Dict()
    for (const [key, value] of original) {
      if (!INLINED_KEYS.has(key)) dict.set(key, await inlineColourSpace(this.reader, original, key, value))
      else if (key === 'DecodeParms' || key === 'DP' || key === 'Filter') dict.set(key, await this.direct(value))
      else dict.set(key, await this.reader.resolve(value))
    }
    return dict
  }

  /** Filters and filter parameters as direct values. Only /JBIG2Globals, which is a stream, stays a reference. */
  private async direct(object: PdfObject): Promise<PdfObject> {
    const value = await this.reader.resolve(object)
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.direct(item)))
    if (!(value instanceof Dict)) return value
    const copy = new Dict()
    for (const [key, item] of value) copy.set(key, key === 'JBIG2Globals' ? item : await this.reader.resolve(item))
    return copy
  }
}

/** True if the outlines are visible when the document opens. They then belong to the part of the first page (ISO 32000-2, F.3.7). */
export const showsOutlines = (root: Dict): boolean => nameOf(root.get('PageMode')) === 'UseOutlines'
