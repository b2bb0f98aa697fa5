/** Content types and relationships of an OOXML package (ECMA-376 part 2, clauses 6 and 7). */
import { message } from '../../i18n/message.ts'
import { overBudget } from '../../model/error.ts'
import type { ZipMember } from '../zip.ts'
import type { Package } from './package.ts'

export interface OoxmlRelationship {
  /** Name of the part that the relationship belongs to. Empty: the package. */
  readonly owner: string
  readonly id: string
  /** Last segment of the type, for example `image`. The other segments follow in brackets if they are not those of the standards. */
  readonly kind: string
  readonly external: boolean
  readonly target: string
  /** Key of the part that it leads to. `undefined`: an external target, or only a place inside the owner. */
  readonly part: string | undefined
}

const CONTENT_TYPES = '[content_types].xml'
const MAX_RELATIONSHIPS = 200_000

/** Parts by key: their names without case. */
const keyOf = (name: string) => name.replace(/\\/g, '/').replace(/^\//, '').toLowerCase()

export class OoxmlParts {
  readonly relationships: OoxmlRelationship[] = []
  readonly #overrides = new Map<string, string>()
  readonly #defaults = new Map<string, string>()
  readonly #keys: ReadonlySet<string>
  /** Owners of the relationships to each part. */
  readonly #users = new Map<string, Set<string>>()
  readonly #thumbnails = new Set<string>()
  readonly #fonts = new Set<string>()

  private constructor(archive: Package) {
    this.#keys = new Set(archive.files.map(({ name }) => keyOf(name)))
  }

  static async read(archive: Package): Promise<OoxmlParts> {
    const parts = new OoxmlParts(archive)
    for (const member of archive.inFileOrder) {
      if (!archive.content.isReadable(member)) continue
      if (keyOf(member.name) === CONTENT_TYPES) await parts.#readTypes(archive, member)
      else if (/\.rels$/i.test(member.name)) await parts.#readRelationships(archive, member)
    }
    return parts
  }

  /** True for content types and relationships, which `read` has read. */
  isStructure({ name }: ZipMember): boolean {
    return keyOf(name) === CONTENT_TYPES || /\.rels$/i.test(name)
  }

  /** Content type of a part. Empty: none. */
  typeOf(name: string): string {
    return this.#overrides.get(keyOf(name)) ?? this.#defaults.get(keyOf(name).slice(keyOf(name).lastIndexOf('.') + 1)) ?? ''
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  isThumbnail(name: string): boolean {
    return this.#thumbnails.has(keyOf(name))
  }

  /** True if a relationship says that the part is a font. */
  isFont(name: string): boolean {
    return this.#fonts.has(keyOf(name))
  }

  /** Suffix of an item: who uses a media file. Empty: a part that is shown, or no media file. */
  useOf(name: string): string {
    const users = this.#users.get(keyOf(name))
    if (!users) return /(^|\/)media\/[^/]+$/i.test(name) ? ' without a reference' : ''
    return [...users].every((owner) => isOfLayout(this.typeOf(owner))) ? ' of a layout' : ''
  }

  /** Returns the part that a `.rels` part belongs to. Empty: the package. */
  ownerOf(relsName: string): string {
    return relsName.replace(/(^|\/)_rels\//, '$1').replace(/\.rels$/i, '')
  }

  async #readTypes(archive: Package, member: ZipMember): Promise<void> {
    await archive.parse(member, {
      open: ({ local, attributes }) => {
        const type = attributes['ContentType'] ?? ''
        if (local === 'Override') this.#overrides.set(keyOf(decoded(attributes['PartName'] ?? '')), type)
        if (local === 'Default') this.#defaults.set((attributes['Extension'] ?? '').toLowerCase(), type)
        if (this.#overrides.size + this.#defaults.size > MAX_RELATIONSHIPS) throw tooMany()
        return undefined
      },
    })
  }

  async #readRelationships(archive: Package, member: ZipMember): Promise<void> {
    const owner = this.ownerOf(member.name.replace(/\\/g, '/'))
    await archive.parse(member, {
      open: ({ local, attributes }) => {
        if (local !== 'Relationship') return undefined
        const external = attributes['TargetMode'] === 'External'
        const target = attributes['Target'] ?? ''
        const part = external ? undefined : resolved(owner, target)
        const kind = kindOf(attributes['Type'] ?? '')
        this.relationships.push({ owner, id: attributes['Id'] ?? '', kind, external, target, part })
        if (this.relationships.length > MAX_RELATIONSHIPS) throw tooMany()
        if (part === undefined) return undefined
        this.#users.set(part, (this.#users.get(part) ?? new Set()).add(owner))
        if (owner === '' && kind.split(' ')[0] === 'thumbnail') this.#thumbnails.add(part)
        if (kind === 'font') this.#fonts.add(part)
        return undefined
      },
    })
  }
}

/** Starts of relationship types in both variants of ECMA-376 part 1, and in part 2. */
const STANDARD_TYPE =
  /^http:\/\/(?:schemas\.openxmlformats\.org\/officeDocument\/2006|schemas\.openxmlformats\.org\/package\/2006|purl\.oclc\.org\/ooxml\/officeDocument)\/relationships\/(?:metadata\/)?(\w+)$/

const kindOf = (type: string): string =>
  STANDARD_TYPE.exec(type)?.[1] ?? `${type.split('/').at(-1)} (${type.split('/').slice(0, -1).join('/')})`

const tooMany = () => overBudget(message('inventory_too_large', { items: MAX_RELATIONSHIPS }))

/** True for slide layouts and the changes of a theme that belong to them. */
const isOfLayout = (type: string) => /\.(slideLayout|themeOverride)\+xml$/.test(type)

/** Name of a part in items. Layouts and their masters are marked, because a result may lose unused layouts. */
export function labelOf(parts: OoxmlParts, name: string): string {
  const type = parts.typeOf(name)
  return isOfLayout(type) ? `layout ${name}` : type.endsWith('.slideMaster+xml') ? `master ${name}` : name
}

/** True if a relationship leads to a part that does not exist. */
export const isMissing = (parts: OoxmlParts, { part, kind }: OoxmlRelationship): boolean =>
  part !== undefined && !kind.startsWith('hyperlink') && !parts.has(part)

/** Resolves a target against the folder of its owner (ECMA-376 part 2, 6.4). `undefined`: only a place inside the owner. */
function resolved(owner: string, target: string): string | undefined {
  const path = decoded(target.split('#')[0]!.replace(/\\/g, '/'))
  if (path === '') return undefined
  const folders = path.startsWith('/') ? [] : owner.split('/').slice(0, -1)
  for (const segment of path.split('/')) {
    if (segment === '..') folders.pop()
    else if (segment !== '' && segment !== '.') folders.push(segment)
  }
  return keyOf(folders.join('/'))
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
