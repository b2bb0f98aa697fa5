/** Open Packaging Conventions (ECMA-376 part 2): relationships and content types of a document. */
import { applySplices, escapeXml, type Splice, scanTags, type Tag } from '../../containers/xml/scan.ts'

/** Key of a part name. Part names are case-insensitive (ECMA-376 part 2, 9.3). */
export const partKey = (name: string): string => name.replace(/\\/g, '/').replace(/^\//, '').toLowerCase()

export interface Relationship {
  readonly id: string
  readonly type: string
  readonly external: boolean
  readonly target: string
  /** Key (`partKey`) of the part it refers to. `undefined`: an external target. */
  readonly part: string | undefined
  /** Ranges in the text: the whole element, and the raw value of Target. */
  readonly tag: { readonly start: number; readonly end: number }
  readonly targetAt: { readonly start: number; readonly end: number }
}

/**
 * Returns the part that a `.rels` part belongs to: `word/_rels/document.xml.rels` → `word/document.xml`. Empty for the package;
 * `undefined`: not a `.rels` part.
 */
export function ownerOf(relsName: string): string | undefined {
  const found = /^(.*\/)?_rels\/([^/]*)\.rels$/.exec(partKey(relsName))
  return found ? (found[1] ?? '') + found[2] : undefined
}

/** Reads the relationships in text order (ECMA-376 part 2, 9.2). @throws EngineError if the text is not XML */
export function readRelationships(xml: string, owner: string): Relationship[] {
  const found: Relationship[] = []
  for (const tag of scanTags(xml)) {
    if (tag.local !== 'Relationship' || tag.kind === 'close') continue
    const attributes = new Map(tag.attributes().map((attribute) => [attribute.name, attribute]))
    const [id, target] = [attributes.get('Id'), attributes.get('Target')]
    if (!id || !target) continue
    const external = attributes.get('TargetMode')?.value === 'External'
    found.push({
      id: id.value,
      type: attributes.get('Type')?.value ?? '',
      external,
      target: target.value,
      part: external ? undefined : resolvePart(owner, target.value),
      tag: { start: tag.start, end: elementEnd(xml, tag) },
      targetAt: { start: target.start, end: target.end },
    })
  }
  return found
}

/** End of an element without children: `<R …/>` or `<R …></R>`. */
function elementEnd(xml: string, tag: Tag): number {
  if (tag.kind === 'empty') return tag.end
  const close = xml.indexOf('>', xml.indexOf('</', tag.end))
  return close < 0 ? tag.end : close + 1
}

/** Resolves a target against the folder of its owner (ECMA-376 part 2, 6.4). Percent escapes are decoded. */
export function resolvePart(owner: string, target: string): string {
  const bare = target.split('#')[0]!.replace(/\\/g, '/')
  let path = bare
  try {
    path = decodeURIComponent(bare)
  } catch {
    // An invalid percent escape: use the name as written.
  }
  const segments = path.startsWith('/') ? [] : owner.split('/').slice(0, -1)
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return partKey(segments.join('/'))
}

/** Changes targets in a `.rels` text. `edit` returns a new target, 'drop' to remove the relationship or `undefined` to keep it. */
export function editRelationships(xml: string, owner: string, edit: (relationship: Relationship) => string | 'drop' | undefined): string {
  const splices: Splice[] = []
  for (const relationship of readRelationships(xml, owner)) {
    const fresh = edit(relationship)
    if (fresh === undefined) continue
    splices.push(fresh === 'drop' ? { ...relationship.tag, text: '' } : { ...relationship.targetAt, text: escapeXml(fresh) })
  }
  return splices.length > 0 ? applySplices(xml, splices) : xml
}

/** Content type of a part (ECMA-376 part 2, 7.2): its Override, otherwise the Default of its extension. */
export function contentTypes(xml: string): { typeOf(part: string): string | undefined } {
  const defaults = new Map<string, string>()
  const overrides = new Map<string, string>()
  for (const tag of scanTags(xml)) {
    if (tag.kind === 'close') continue
    const type = tag.get('ContentType')
    if (type === undefined) continue
    if (tag.local === 'Default') defaults.set((tag.get('Extension') ?? '').toLowerCase(), type)
    if (tag.local === 'Override') overrides.set(resolvePart('', tag.get('PartName') ?? ''), type)
  }
  return { typeOf: (part) => overrides.get(part) ?? defaults.get(part.slice(part.lastIndexOf('.') + 1)) }
}

/** Updates `[Content_Types].xml` for renamed and dropped parts. `renamed` maps part keys to new names and types. */
export function editContentTypes(
  xml: string,
  renamed: ReadonlyMap<string, { readonly name: string; readonly type: string }>,
  dropped: ReadonlySet<string>,
): string {
  const splices: Splice[] = []
  const defaults = new Map<string, string>()
  let insertAt = -1
  let prefix = ''
  for (const tag of scanTags(xml)) {
    if (tag.local === 'Types' && tag.kind === 'open') {
      insertAt = tag.end
      prefix = tag.name.slice(0, tag.name.length - tag.local.length)
    }
    if (tag.kind === 'close') continue
    if (tag.local === 'Default') defaults.set((tag.get('Extension') ?? '').toLowerCase(), tag.get('ContentType') ?? '')
    if (tag.local !== 'Override') continue
    const part = resolvePart('', tag.get('PartName') ?? '')
    if (dropped.has(part) || renamed.has(part)) splices.push({ start: tag.start, end: elementEnd(xml, tag), text: '' })
  }
  let added = ''
  for (const { name, type } of renamed.values()) {
    const suffix = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
    const known = defaults.get(suffix)
    if (known === type) continue
    if (known === undefined) {
      defaults.set(suffix, type)
      added += `<${prefix}Default Extension="${suffix}" ContentType="${type}"/>`
    } else added += `<${prefix}Override PartName="/${escapeXml(name)}" ContentType="${type}"/>`
  }
  if (added) {
    if (insertAt < 0) throw new RangeError('[Content_Types].xml has no Types element')
    splices.push({ start: insertAt, end: insertAt, text: added })
  }
  return applySplices(xml, splices)
}
