/**
 * Finds who uses each object (ISO 32000-2, annex F): the first page, other pages, the outlines, opening the document, or something else.
 * The order of a linearised file depends on it.
 */
import { isCodecError, overBudget } from '../../../model/error.ts'
import type { Duplicates } from '../duplicates.ts'
import { Dict, nameOf, type PdfObject, Ref, Stream } from '../objects.ts'
import type { ReachableObjects } from '../reachable-objects.ts'
import type { Reader } from '../reader.ts'

/** Classes of objects, named after ISO 32000-2, annex F. */
export const OBJECT_ROLE = {
  /** Reached only from page objects outside of the page tree. */
  none: 0,
  root: 1,
  outlines: 2,
  /** Needed to open the document: viewer preferences, article threads, open action, forms. */
  open: 3,
  firstPrivate: 4,
  firstShared: 5,
  pagePrivate: 6,
  pagesShared: 7,
  thumbnail: 8,
  /** Object that one page and something other than a page use. */
  pageAndOther: 9,
  other: 10,
} as const
export type Role = (typeof OBJECT_ROLE)[keyof typeof OBJECT_ROLE]

/** Catalog keys whose objects are needed to open the document (ISO 32000-2, F.3.4). */
const OPEN_KEYS: ReadonlySet<string> = new Set(['ViewerPreferences', 'PageMode', 'Threads', 'OpenAction', 'AcroForm'])
/** Keys of a stream dictionary that are written as direct values. A change of the stream's coding then makes no object unused. */
export const INLINED_KEYS: ReadonlySet<string> = new Set([
  'Length',
  'Filter',
  'DecodeParms',
  'DP',
  'Length1',
  'Length2',
  'Length3',
  'Decode',
  'SMaskInData',
  'BitsPerComponent',
  'Width',
  'Height',
])
const MAX_VISITS = 1_000_000
const MAX_PAGES = 20_000
const INHERITABLE = ['Resources', 'MediaBox', 'CropBox', 'Rotate']

const FIRST = 1
const OTHERS = 2
const OUTLINES = 4
const OPEN = 8
const THUMB = 16

export interface ObjectUsers {
  /** Class of each object, by object number. */
  roles: Uint8Array
  /** Page index of a private object, by object number; 0 is the first page. */
  pageOf: Int32Array
  /** Object numbers that each page uses. */
  objectsOf: Uint32Array[]
}

export class UserScan {
  private readonly reader: Reader
  private readonly duplicates: Duplicates
  private readonly reach: ReachableObjects
  private readonly keep: (dict: Dict, key: string) => boolean
  private readonly flags: Uint8Array
  private readonly pageCount: Uint32Array
  private readonly pageOf: Int32Array
  private readonly stamp: Uint32Array
  private round = 0
  private visits = 0

  constructor(reader: Reader, duplicates: Duplicates, reach: ReachableObjects, keep: (dict: Dict, key: string) => boolean) {
    this.reader = reader
    this.duplicates = duplicates
    this.reach = reach
    this.keep = keep
    const size = reader.xref.size
    this.flags = new Uint8Array(size)
    this.pageCount = new Uint32Array(size)
    this.pageOf = new Int32Array(size)
    this.stamp = new Uint32Array(size)
  }

  /** Classifies all objects. `undefined`: pages inherit attributes, or the document is too large. */
  async run(root: Dict, rootNumber: number, pages: readonly number[], signal: AbortSignal): Promise<ObjectUsers | undefined> {
    if (pages.length > MAX_PAGES || !(await this.plainTree(root.get('Pages')))) return undefined
    try {
      return await this.scan(root, rootNumber, pages, signal)
    } catch (error) {
      if (isCodecError(error, 'over_budget')) return undefined
      throw error
    }
  }

  private async scan(root: Dict, rootNumber: number, pages: readonly number[], signal: AbortSignal): Promise<ObjectUsers> {
    const objectsOf: Uint32Array[] = []
    for (const [page, number] of pages.entries()) {
      signal.throwIfAborted()
      const pageObjects: number[] = []
      const dict = await this.reader.get(number)
      this.round++
      this.addToPage(number, page, pageObjects)
      if (dict instanceof Dict) await this.follow(this.pageValues(dict), (object) => this.addToPage(object, page, pageObjects))
      objectsOf.push(Uint32Array.from(pageObjects))
      const thumb = dict instanceof Dict && this.keep(dict, 'Thumb') ? dict.get('Thumb') : undefined
      if (thumb !== undefined) await this.mark(thumb, THUMB)
    }
    for (const key of ['Info', 'ID']) await this.mark(this.reader.trailer.get(key), OTHERS)
    for (const [key, value] of root) {
      if (this.keep(root, key)) await this.mark(value, OPEN_KEYS.has(key) ? OPEN : key === 'Outlines' ? OUTLINES : OTHERS)
    }
    const roles = new Uint8Array(this.flags.length)
    for (const number of this.reach.objects) if (!this.duplicates.has(number)) roles[number] = this.role(number, rootNumber)
    return { roles, pageOf: this.pageOf, objectsOf }
  }

  private role(number: number, root: number): Role {
    const flags = this.flags[number]!
    const pages = this.pageCount[number]!
    if (number === root) return OBJECT_ROLE.root
    if (flags & OUTLINES) return OBJECT_ROLE.outlines
    if (flags & OPEN) return OBJECT_ROLE.open
    const alone = (flags & (OTHERS | THUMB)) === 0
    if (flags & FIRST) return alone && pages === 0 ? OBJECT_ROLE.firstPrivate : OBJECT_ROLE.firstShared
    if (pages === 1) return alone ? OBJECT_ROLE.pagePrivate : OBJECT_ROLE.pageAndOther
    if (pages > 1) return OBJECT_ROLE.pagesShared
    if (flags & THUMB) return OBJECT_ROLE.thumbnail
    return flags & OTHERS ? OBJECT_ROLE.other : OBJECT_ROLE.none
  }

  private addToPage(number: number, page: number, met: number[]): void {
    this.stamp[number] = this.round
    met.push(number)
    if (page === 0) this.flags[number] = this.flags[number]! | FIRST
    else {
      this.pageCount[number] = this.pageCount[number]! + 1
      this.pageOf[number] = page
    }
  }

  private async mark(value: PdfObject | undefined, flag: number): Promise<void> {
    this.round++
    await this.follow([value], (number) => {
      this.stamp[number] = this.round
      this.flags[number] = this.flags[number]! | flag
    })
  }

  private *pageValues(page: Dict): Generator<PdfObject> {
    for (const [key, value] of page) if (key !== 'Parent' && key !== 'Thumb' && this.keep(page, key)) yield value
  }

  /** Visits every object that can be reached without passing through a page object. */
  private async follow(values: Iterable<PdfObject | undefined>, onObject: (number: number) => void): Promise<void> {
    const stack: (number | PdfObject)[] = []
    const push = (value: PdfObject | undefined): void => {
      if (value instanceof Ref) {
        const number = this.duplicates.originalOf(value.number)
        if (this.reach.used[number] && this.stamp[number] !== this.round) stack.push(value)
      } else if (Array.isArray(value)) for (const item of value) push(item)
      else if (value instanceof Dict && nameOf(value.get('Type')) !== 'Page') for (const item of this.valuesOf(value)) push(item)
    }
    for (const value of values) push(value)
    for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
      if (!(value instanceof Ref)) continue
      const number = this.duplicates.originalOf(value.number)
      if (this.stamp[number] === this.round) continue
      if (++this.visits > MAX_VISITS) throw overBudget('document_of_too_many_shared_objects')
      const object = await this.reader.get(number)
      if (object instanceof Dict && nameOf(await this.reader.entry(object, 'Type')) === 'Page') continue
      onObject(number)
      if (object instanceof Stream) for (const item of await this.streamValues(object)) push(item)
      else push(object)
    }
  }

  private *valuesOf(dict: Dict): Generator<PdfObject> {
    for (const [key, value] of dict) if (this.keep(dict, key)) yield value
  }

  /** Values in a stream dictionary that are written as references. */
  private async streamValues({ dict }: Stream): Promise<PdfObject[]> {
    const values: PdfObject[] = []
    for (const [key, value] of dict) {
      if (INLINED_KEYS.has(key) || !this.keep(dict, key)) continue
      values.push(await inlineColourSpace(this.reader, dict, key, value))
    }
    const parms = await this.reader.resolve(dict.get('DecodeParms') ?? dict.get('DP'))
    for (const item of Array.isArray(parms) ? parms : [parms]) {
      const globals = (await this.reader.dict(item))?.get('JBIG2Globals')
      if (globals) values.push(globals)
    }
    return values
  }

  /** True if no page tree node has inheritable attributes. In a linearised file each page must contain all its attributes. */
  private async plainTree(top: PdfObject | undefined): Promise<boolean> {
    const visited = new Set<number>()
    const stack: PdfObject[] = top === undefined ? [] : [top]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (!(node instanceof Ref) || visited.has(node.number)) return false
      visited.add(node.number)
      const dict = await this.reader.dict(node)
      if (!dict || nameOf(dict.get('Type')) === 'Page') continue
      if (INHERITABLE.some((key) => dict.has(key))) return false
      const kids = await this.reader.resolve(dict.get('Kids'))
      if (Array.isArray(kids)) for (const kid of kids) stack.push(kid)
    }
    return true
  }
}

/** Returns the colour space of an image as a direct value, because recompression may change it. Other values are returned unchanged. */
export async function inlineColourSpace(reader: Reader, dict: Dict, key: string, value: PdfObject): Promise<PdfObject> {
  if (key !== 'ColorSpace' || !(value instanceof Ref) || nameOf(dict.get('Subtype')) !== 'Image') return value
  const space = await reader.resolve(value)
  return Array.isArray(space) ? space : value
}
