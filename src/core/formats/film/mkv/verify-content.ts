/** Compares elements in memory, without Void elements and checksums, which were checked when they were read. */
import { equalBytes } from '../../../bytes/equal.ts'
import { CRC_32, VOID } from '../../../containers/ebml/matroska.ts'
import { type Child, type Content, childrenOf, clusterIn, isParent, isPosition, type NewPosition, numberIn, rootOf } from './content.ts'
import { pictureIn } from './pictures.ts'

interface Comparing {
  /** Numbers of the elements to which positions of each file lead. `undefined`: the contents have no positions. */
  readonly left?: NewPosition
  readonly right?: NewPosition
  /** True for attached files, whose pictures may be smaller. The codec of the picture has compared its pixels. */
  readonly arePictures?: boolean
}

/** `depth`: depth of the children. @returns `undefined` if both are equal */
export const contentDifference = (a: Content, b: Content, depth: number, comparing: Comparing = {}): string | undefined =>
  new ContentComparison(a, b, comparing).childrenDifference(rootOf(a), rootOf(b), depth)

class ContentComparison {
  readonly #a: Content
  readonly #b: Content
  readonly #comparing: Comparing

  constructor(a: Content, b: Content, comparing: Comparing) {
    this.#a = a
    this.#b = b
    this.#comparing = comparing
  }

  childrenDifference(one: Child, other: Child, depth: number): string | undefined {
    const [left, right] = [keptChildren(this.#a, one), keptChildren(this.#b, other)]
    const clusters = [clusterIn(this.#a, one), clusterIn(this.#b, other)] as const
    const [picture, smaller] = this.#comparing.arePictures ? [pictureIn(this.#a, one), pictureIn(this.#b, other)] : []
    for (;;) {
      const [x, y] = [left.next().value, right.next().value]
      if (!x && !y) return undefined
      if (!x || !y || x.id !== y.id) return `element ${hex(x ?? y)} is missing or out of place`
      const isSmallerPicture = picture?.bodyAt === x.bodyAt && smaller?.bodyAt === y.bodyAt && y.end - y.bodyAt < x.end - x.bodyAt
      if (isSmallerPicture || x.id === CRC_32) continue
      const difference = isParent(x.id, depth) ? this.childrenDifference(x, y, depth + 1) : this.#bodyDifference(x, y, clusters)
      if (difference !== undefined) return difference
    }
  }

  #bodyDifference(x: Child, y: Child, [one, other]: readonly [number | undefined, number | undefined]): string | undefined {
    const { left, right } = this.#comparing
    const value = numberIn(this.#a, x)
    if (left && right && isPosition(x.id, value)) {
      const before = left({ id: x.id, value, cluster: one })
      const after = right({ id: x.id, value: numberIn(this.#b, y), cluster: other })
      return before >= 0 && before === after && x.end - x.bodyAt === y.end - y.bodyAt ? undefined : `position ${hex(x)} leads elsewhere`
    }
    const isEqual = equalBytes(this.#a.bytes.subarray(x.bodyAt, x.end), this.#b.bytes.subarray(y.bodyAt, y.end))
    return isEqual ? undefined : `element ${hex(x)} changed`
  }
}

function* keptChildren(content: Content, parent: Child): Generator<Child, undefined> {
  for (const child of childrenOf(content, parent.bodyAt, parent.end)) if (child.id !== VOID) yield child
  return undefined
}

const hex = (child: Child | undefined) => child?.id.toString(16)
