/** Order and numbers of objects in a linearised file (ISO 32000-2, annex F.3). Objects of the first page come first. */
import { Dict, nameOf, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import { OBJECT_ROLE, type ObjectUsers } from './users.ts'

/** One object of the file: an object of the document, or an object stream with several of them. */
export interface Unit {
  /** Object number in the result. */
  number: number
  /** Object numbers in the source document. */
  members: number[]
  packed: boolean
}

export interface Layout {
  /** Units of part 4, the catalog and objects needed to open the document (`opening`), and of part 6, the first page (`firstPage`). */
  opening: Unit[]
  firstPage: Unit[]
  /** Units of part 7: the private objects of each further page, starting with the page object. */
  pages: Unit[][]
  /** Units of part 8, shared by several pages (`shared`), and of part 9, all other objects (`rest`). */
  shared: Unit[]
  rest: Unit[]
  outlines: Unit[]
  /** Object numbers of the linearisation dictionary, the cross-reference streams and the hint stream; 0 if there is none. */
  dictionary: number
  firstXref: number
  hints: number
  mainXref: number
  /** First object number of the first half of the file. Smaller numbers belong to the second half. */
  firstHalf: number
  size: number
  /** Object numbers in the result, indexed by object number in the source. */
  numbers: Uint32Array
  /** For each page except the first, the shared units it uses. Values are indices into `firstPage` followed by `shared`. */
  sharedBy: number[][]
}

const MEMBERS_A_STREAM = 200

/** Objects to place in the file, by their numbers in the source document. */
export interface LayoutInput {
  users: ObjectUsers
  pages: readonly number[]
  objects: Iterable<number>
  /** True: uses object streams. */
  compact: boolean
  /** True if the outlines are visible when the document opens. */
  outlinesFirst: boolean
}

export async function computeLayout(reader: Reader, contents: LayoutInput): Promise<Layout> {
  const { users, compact } = contents
  const groups = await grouped(reader, contents)
  // The outline dictionary must be the first outline object.
  const outlines = [
    ...units({ alone: [], packable: groups.outlines.packable }, compact),
    ...units({ alone: groups.outlines.alone, packable: [] }, compact),
  ]
  const opening = units(groups.opening, compact)
  const firstPage = units(groups.first, compact)
  const pageUnits = groups.pages.map((group) => units(group, compact))
  const shared = units(groups.shared, compact)
  const rest = [...units(groups.other, compact), ...units({ alone: groups.unpackable, packable: [] }, compact)]
  for (const unit of outlines) (contents.outlinesFirst ? firstPage : rest).push(unit)
  const numbers = new Uint32Array(reader.xref.size)
  let next = 1
  const take = (list: readonly Unit[]) => {
    for (const unit of list) unit.number = next++
    for (const unit of list) if (!unit.packed) numbers[unit.members[0]!] = unit.number
  }
  const unpack = (list: readonly Unit[]) => {
    for (const unit of list) if (unit.packed) for (const member of unit.members) numbers[member] = next++
  }
  const second = [...pageUnits.flat(), ...shared, ...rest]
  take(second)
  const mainXref = compact ? next++ : 0
  unpack(second)
  const firstHalf = next
  const dictionary = next++
  const firstXref = compact ? next++ : 0
  take(opening)
  const hints = next++
  take(firstPage)
  unpack(opening)
  unpack(firstPage)
  const sharedBy = sharedUnits(users, [...firstPage, ...shared], numbers.length)
  return {
    opening,
    firstPage,
    pages: pageUnits,
    shared,
    rest,
    outlines,
    dictionary,
    firstXref,
    hints,
    mainXref,
    firstHalf,
    size: next,
    numbers,
    sharedBy,
  }
}

interface Group {
  alone: number[]
  packable: number[]
}

async function grouped(reader: Reader, { users, pages, objects, compact }: LayoutInput) {
  const group = (): Group => ({ alone: [], packable: [] })
  const groups = {
    opening: group(),
    first: group(),
    pages: pages.slice(1).map((number): Group => ({ alone: [number], packable: [] })),
    shared: group(),
    other: group(),
    outlines: group(),
    unpackable: [] as number[],
  }
  groups.first.alone.push(pages[0]!)
  const outlines = reader.trailer.get('Root')
  const top = (await reader.dict(outlines))?.get('Outlines')
  const topNumber = top && typeof top === 'object' && 'number' in top ? top.number : 0
  const isPage = new Set(pages)
  for (const number of objects) {
    const role = users.roles[number]!
    if (role === OBJECT_ROLE.root) groups.opening.alone.unshift(number)
    if (role === OBJECT_ROLE.root || isPage.has(number)) continue
    const object = await reader.get(number)
    const alone = !compact || object instanceof Stream || (object instanceof Dict && nameOf(object.get('Type')) === 'Page')
    const put = (to: Group) => (alone ? to.alone : to.packable).push(number)
    if (role === OBJECT_ROLE.outlines) {
      if (number === topNumber) (alone ? groups.outlines.alone : groups.outlines.packable).unshift(number)
      else put(groups.outlines)
    } else if (role === OBJECT_ROLE.open) put(groups.opening)
    else if (role === OBJECT_ROLE.firstPrivate || role === OBJECT_ROLE.firstShared) put(groups.first)
    else if (role === OBJECT_ROLE.pagePrivate) put(groups.pages[users.pageOf[number]! - 1]!)
    else if (role === OBJECT_ROLE.pagesShared) put(groups.shared)
    else if (role === OBJECT_ROLE.other) put(groups.other)
    // In an object stream with other objects, it would count as shared between pages.
    else groups.unpackable.push(number)
  }
  return groups
}

function units({ alone, packable }: Group, compact: boolean): Unit[] {
  const list: Unit[] = alone.map((number) => ({ number: 0, members: [number], packed: false }))
  for (let i = 0; i < packable.length; i += MEMBERS_A_STREAM) {
    const members = packable.slice(i, i + MEMBERS_A_STREAM)
    list.push({ number: 0, members, packed: compact && members.length > 1 })
  }
  return list
}

/** For each page, indices of the shared units it uses. */
function sharedUnits(users: ObjectUsers, units: readonly Unit[], size: number): number[][] {
  const index = new Int32Array(size).fill(-1)
  units.forEach((unit, i) => {
    for (const member of unit.members) index[member] = i
  })
  return users.objectsOf.map((objects, page) => {
    if (page === 0) return []
    const used = new Set<number>()
    for (const number of objects) if (index[number]! >= 0) used.add(index[number]!)
    return [...used]
  })
}
