/**
 * Level `ultra`: removes slide layouts that no slide uses (ECMA-376 part 1, 13.3.9), and all parts that only they refer to. Every slide
 * master keeps at least one layout.
 */
import { applySplices, decodeXml, type Splice, type Tag, type TagReader } from '../../containers/xml/scan.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { CONTENT_TYPES, type OoxmlDocument } from './document.ts'
import { ownerOf, type Relationship } from './parts.ts'
import { MAX_MASTER_BYTES } from './tuning.ts'

export interface UnusedLayouts {
  /** Unused layouts, and parts that only they refer to. */
  readonly parts: ReadonlySet<string>
  /** New texts of slide masters, by part. */
  readonly masters: ReadonlyMap<string, string>
}

/** Texts that `unusedLayouts` needs. */
export interface LayoutTexts {
  /** Layouts that contain only shapes and pictures. */
  readonly plain: ReadonlySet<string>
  /** Tags of the slide masters that could be read, by part. */
  readonly masters: ReadonlyMap<string, MasterTags>
}

/** A slide master, and its relationships to layouts that no other part refers to. */
interface MasterLayouts {
  readonly owner: string
  /** Number of layouts of the master. */
  readonly count: number
  readonly unused: readonly Relationship[]
}

/** Finds layouts that no slide uses, from relationships alone. */
export function layoutsWithoutSlides(document: OoxmlDocument): MasterLayouts[] {
  const kept = new Set<string>()
  for (const { owner, relationships } of document.rels) {
    const ofMaster = isMaster(document, owner)
    for (const { type, part } of relationships) if (part && !(ofMaster && isLayout(type))) kept.add(part)
  }
  return document.rels.flatMap(({ owner, relationships }) => {
    const entry = document.parts.get(owner)
    if (!isMaster(document, owner) || !entry || entry.opaque || entry.size > MAX_MASTER_BYTES) return []
    const own = relationships.filter(({ type, part }) => isLayout(type) && part !== undefined && document.parts.has(part))
    return [{ owner, count: own.length, unused: own.filter(({ part }) => !kept.has(part!) && leadsToPlainParts(document, part!)) }]
  })
}

export async function unusedLayouts(document: OoxmlDocument, { plain, masters: tags }: LayoutTexts): Promise<UnusedLayouts> {
  const layouts = new Set<string>()
  const masters = new Map<string, string>()
  for (const { owner, count, unused: candidates } of layoutsWithoutSlides(document)) {
    const unused = candidates.filter(({ part }) => plain.has(part!))
    if (unused.length === count) unused.shift()
    if (unused.length === 0) continue
    const splices = tags.get(owner)?.without(new Set(unused.map(({ id }) => id)))
    if (!splices) continue
    masters.set(owner, applySplices(decodeXml(await readEntry(document.archive, document.parts.get(owner)!)), splices))
    for (const { part } of unused) layouts.add(part!)
  }
  // If a layout is shared by several masters and one of them keeps it, nothing is removed.
  for (const { owner, relationships } of document.rels) {
    if (masters.has(owner) || !isMaster(document, owner)) continue
    if (relationships.some(({ part }) => part !== undefined && layouts.has(part))) return { parts: new Set(), masters: new Map() }
  }
  return { parts: layouts.size > 0 ? withExclusiveParts(document, layouts) : layouts, masters }
}

/** Types of relationships that a slide layout may have so that it can be removed. */
const PLAIN_RELATIONSHIPS = /\/(slideMaster|image|themeOverride)$/i
/** Elements that do more than change the appearance of a slide: animations, links, embedded programs. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['transition', 'timing', 'control', 'oleObj', 'hlinkClick', 'hlinkHover', 'custDataLst'])

function leadsToPlainParts(document: OoxmlDocument, part: string): boolean {
  const entry = document.parts.get(part)
  if (!entry || entry.opaque || entry.size > MAX_MASTER_BYTES) return false
  const leads = document.rels.filter(({ owner }) => owner === part).flatMap(({ relationships }) => relationships)
  return !leads.some(({ external, type }) => external || !PLAIN_RELATIONSHIPS.test(type))
}

/** Checks that a layout contains only shapes and pictures: no alternative texts, links, objects or animations. */
export class PlainLayoutTest implements TagReader {
  plain = true

  get done(): boolean {
    return !this.plain
  }

  read(tag: Tag): void {
    if (tag.kind === 'close') return
    if (NOT_PLAIN.has(tag.local) || (tag.local === 'cNvPr' && (tag.get('descr') || tag.get('title')))) this.plain = false
  }
}

const isLayout = (type: string) => /\/slideLayout$/i.test(type)
const isMaster = (document: OoxmlDocument, part: string) => /\.slideMaster\+xml$/i.test(document.typeOf(part) ?? '')

/** Reads the p:sldLayoutId elements of a p:sldMaster (ECMA-376 part 1, 19.3.1.40) and other references in its text. */
export class MasterTags implements TagReader {
  readonly #ids: ReadonlySet<string>
  readonly #layoutTags: { readonly kind: Tag['kind']; readonly id: string | undefined; readonly start: number; readonly end: number }[] = []
  readonly #namedElsewhere = new Set<string>()

  /** @param ids ids of relationships that refer to layouts */
  constructor(ids: ReadonlySet<string>) {
    this.#ids = ids
  }

  read(tag: Tag): void {
    if (tag.local === 'sldLayoutId') {
      const id = tag.attributes().find(({ name, local }) => local === 'id' && name.includes(':'))?.value
      this.#layoutTags.push({ kind: tag.kind, id, start: tag.start, end: tag.end })
    } else if (tag.kind !== 'close') {
      for (const { name, value } of tag.attributes()) if (name.includes(':') && this.#ids.has(value)) this.#namedElsewhere.add(value)
    }
  }

  /**
   * Returns the changes that remove the p:sldLayoutId elements of these relationships. `undefined`: an element is missing, or the id is
   * used elsewhere.
   */
  without(ids: ReadonlySet<string>): Splice[] | undefined {
    for (const id of ids) if (this.#namedElsewhere.has(id)) return undefined
    const splices: Splice[] = []
    let open: number | undefined
    for (const { kind, id, start, end } of this.#layoutTags) {
      if (kind === 'empty' && id !== undefined && ids.has(id)) splices.push({ start, end, text: '' })
      else if (kind === 'open' && id !== undefined && ids.has(id)) open = start
      else if (kind === 'close' && open !== undefined) {
        splices.push({ start: open, end, text: '' })
        open = undefined
      }
    }
    return splices.length === ids.size ? splices : undefined
  }
}

/** Returns the layouts and all parts that the package reaches only through them. */
function withExclusiveParts(document: OoxmlDocument, layouts: ReadonlySet<string>): Set<string> {
  const leads = new Map(document.rels.map(({ owner, relationships }) => [owner, relationships]))
  const reached = (without: ReadonlySet<string>): Set<string> => {
    const found = new Set<string>([''])
    for (const owner of found) {
      for (const { part } of leads.get(owner) ?? []) if (part !== undefined && !without.has(part)) found.add(part)
    }
    return found
  }
  const [before, after] = [reached(new Set()), reached(layouts)]
  const parts = [...document.parts.keys()].filter((part) => {
    const owner = ownerOf(part)
    return part !== CONTENT_TYPES && owner === undefined && before.has(part) && !after.has(part)
  })
  return new Set([...parts, ...layouts])
}
