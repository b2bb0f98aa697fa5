/**
 * `ultra`: slide layouts that no slide has (ECMA-376 part 1, 13.3.9) leave a presentation, with whatever only they lead to.
 * Every master keeps at least one.
 */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { decodeXml, type Splice, scanTags, spliced } from '../../containers/xml/scan.ts'
import { readEntry } from '../../containers/zip/read.ts'
import { CONTENT_TYPES, type OoxmlDocument } from './document.ts'
import { ownerOf, type Relationship } from './parts.ts'

/** A master that is larger than this keeps its layouts. */
const MOST_MASTER_BYTES = 4 * 1024 * 1024

export interface UnusedLayouts {
  /** Layouts, and parts that only they lead to. */
  readonly parts: ReadonlySet<string>
  /** Masters whose text changes, with the new text. */
  readonly masters: ReadonlyMap<string, string>
}

export async function unusedLayouts(document: OoxmlDocument): Promise<UnusedLayouts> {
  const layouts = new Set<string>()
  const masters = new Map<string, string>()
  const kept = new Set<string>()
  for (const { owner, relationships } of document.rels) {
    const ofMaster = isMaster(document, owner)
    for (const { type, part } of relationships) if (part && !(ofMaster && isLayout(type))) kept.add(part)
  }
  for (const { owner, relationships } of document.rels) {
    const entry = document.parts.get(owner)
    if (!isMaster(document, owner) || !entry || entry.opaque || entry.size > MOST_MASTER_BYTES) continue
    const own = relationships.filter(({ type, part }) => isLayout(type) && part !== undefined && document.parts.has(part))
    const unused: Relationship[] = []
    for (const each of own) if (!kept.has(each.part!) && (await isPlain(document, each.part!))) unused.push(each)
    if (unused.length === own.length) unused.shift()
    if (unused.length === 0) continue
    const xml = await textOf(document, owner)
    const shorter = xml === undefined ? undefined : withoutLayouts(xml, new Set(unused.map(({ id }) => id)))
    if (shorter === undefined) continue
    masters.set(owner, shorter)
    for (const { part } of unused) layouts.add(part!)
  }
  // A layout that stays with one master stays with all.
  for (const { owner, relationships } of document.rels) {
    if (masters.has(owner) || !isMaster(document, owner)) continue
    if (relationships.some(({ part }) => part !== undefined && layouts.has(part))) return { parts: new Set(), masters: new Map() }
  }
  return { parts: layouts.size > 0 ? onlyFrom(document, layouts) : layouts, masters }
}

/** What a plain layout leads to. */
const PLAIN_RELATIONSHIPS = /\/(slideMaster|image|themeOverride)$/i
/** Movement, links and programs, which are more than the looks of a slide. */
const NOT_PLAIN: ReadonlySet<string> = new Set(['transition', 'timing', 'control', 'oleObj', 'hlinkClick', 'hlinkHover', 'custDataLst'])

/** A layout of shapes and pictures alone: without texts for those who cannot see them, links, objects and movement. */
async function isPlain(document: OoxmlDocument, part: string): Promise<boolean> {
  const entry = document.parts.get(part)
  if (!entry || entry.opaque || entry.size > MOST_MASTER_BYTES) return false
  const leads = document.rels.filter(({ owner }) => owner === part).flatMap(({ relationships }) => relationships)
  if (leads.some(({ external, type }) => external || !PLAIN_RELATIONSHIPS.test(type))) return false
  const xml = await textOf(document, part)
  if (xml === undefined) return false
  try {
    for (const tag of scanTags(xml)) {
      if (tag.kind === 'close') continue
      if (NOT_PLAIN.has(tag.local) || (tag.local === 'cNvPr' && (tag.get('descr') || tag.get('title')))) return false
    }
  } catch (error) {
    if (isEngineError(error, 'xml')) return false
    throw error
  }
  return true
}

const isLayout = (type: string) => /\/slideLayout$/i.test(type)
const isMaster = (document: OoxmlDocument, part: string) => /\.slideMaster\+xml$/i.test(document.typeOf(part) ?? '')

async function textOf(document: OoxmlDocument, part: string): Promise<string | undefined> {
  try {
    return decodeXml(await readEntry(document.archive, document.parts.get(part)!))
  } catch (error) {
    if (isEngineError(error, 'xml')) return undefined
    throw error
  }
}

/** p:sldMaster without the p:sldLayoutId elements (19.3.1.40) of these relationships; undefined where one is not found, or is named elsewhere. */
function withoutLayouts(xml: string, ids: ReadonlySet<string>): string | undefined {
  const splices: Splice[] = []
  let open: number | undefined
  try {
    for (const tag of scanTags(xml)) {
      if (tag.local === 'sldLayoutId') {
        const id = tag.attributes().find(({ name, local }) => local === 'id' && name.includes(':'))?.value
        if (tag.kind === 'empty' && id !== undefined && ids.has(id)) splices.push({ start: tag.start, end: tag.end, text: '' })
        else if (tag.kind === 'open' && id !== undefined && ids.has(id)) open = tag.start
        else if (tag.kind === 'close' && open !== undefined) {
          splices.push({ start: open, end: tag.end, text: '' })
          open = undefined
        }
      } else if (tag.kind !== 'close' && tag.attributes().some(({ name, value }) => name.includes(':') && ids.has(value))) return undefined
    }
  } catch (error) {
    if (isEngineError(error, 'xml')) return undefined
    throw error
  }
  return splices.length === ids.size ? spliced(xml, splices) : undefined
}

/** The layouts, and all parts that can be reached from the package through them alone. */
function onlyFrom(document: OoxmlDocument, layouts: ReadonlySet<string>): Set<string> {
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
