/** Directory of a compound file as red-black trees ([MS-CFB] 3.0, 2.6.4). */

export const NO_STREAM = 0xffffffff

export type CfbNode = { readonly name: string } & (
  | { readonly children: readonly CfbNode[] }
  | { readonly content: Uint8Array }
  /** A stream whose bytes are written later: into `head` if it is small, after `head` if it is large. */
  | { readonly size: number }
)

/** Directory entry. `left`, `right` and `child` are indexes into the list of all entries. */
export interface DirectoryItem {
  readonly node: CfbNode
  readonly path: string
  left: number
  right: number
  child: number
  red: boolean
  /** First sector of a stream. 0 for a storage. */
  start: number
}

/** Returns all directory entries, the root first, each linked with its siblings and children. */
export function directoryItems(root: readonly CfbNode[]): DirectoryItem[] {
  const items: DirectoryItem[] = []
  const add = (node: CfbNode, path: string): DirectoryItem => {
    const item: DirectoryItem = { node, path, left: NO_STREAM, right: NO_STREAM, child: NO_STREAM, red: false, start: 0 }
    items.push(item)
    return item
  }
  const addChildren = (parent: DirectoryItem, nodes: readonly CfbNode[], prefix: string): void => {
    const first = items.length
    const sorted = [...nodes].sort((a, b) => compareNames(a.name, b.name))
    for (const node of sorted) add(node, prefix + node.name)
    const members = items.slice(first)
    parent.child = balance(members, first)
    for (const member of members) if ('children' in member.node) addChildren(member, member.node.children, `${member.path}/`)
  }
  addChildren(add({ name: 'Root Entry', children: root }, ''), root, '')
  return items
}

export const sizeOf = (node: CfbNode): number => ('content' in node ? node.content.length : 'size' in node ? node.size : 0)

/** Order of siblings ([MS-CFB] 2.6.4): shorter names first, then by upper-case UTF-16 code units. */
function compareNames(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length
  const [x, y] = [a.toUpperCase(), b.toUpperCase()]
  return x < y ? -1 : x > y ? 1 : 0
}

/** Links sorted siblings as a balanced tree and returns the index of its root. Entries of the lowest, incomplete level are red. */
function balance(members: readonly DirectoryItem[], first: number): number {
  const depth = Math.floor(Math.log2(members.length))
  const perfect = members.length === 2 ** (depth + 1) - 1
  const link = (from: number, to: number, level: number): number => {
    if (from >= to) return NO_STREAM
    const middle = (from + to) >> 1
    const item = members[middle]!
    item.red = level === depth && !perfect && level > 0
    item.left = link(from, middle, level + 1)
    item.right = link(middle + 1, to, level + 1)
    return first + middle
  }
  return link(0, members.length, 0)
}
