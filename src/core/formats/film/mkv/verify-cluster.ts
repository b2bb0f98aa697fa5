import { unsignedAt } from '../../../containers/ebml/element.ts'
import { CRC_32, POSITION, PREVIOUS_SIZE, VOID } from '../../../containers/ebml/matroska.ts'
import { type ClusterChild, checkCluster, childrenOfCluster, GROUP_DEPTH } from './cluster.ts'
import type { Element, MatroskaFile } from './scan.ts'
import { contentDifference } from './verify-content.ts'
import { rangeDifference, type Side } from './verify-range.ts'

/** Compares the children of two clusters. Keeps the number of each child to which Cues lead. */
export async function clusterDifference(left: Side, right: Side): Promise<string | undefined> {
  const [[a, one], [b, other]] = [left, right]
  await checkCluster(a.reader, one)
  await checkCluster(b.reader, other)
  const [children, others] = [keptChildren(a, one), keptChildren(b, other)]
  try {
    for (let i = 0; ; i++) {
      const { value: x } = await children.next()
      const { value: y } = await others.next()
      if (!x && !y) return undefined
      if (!x || !y || x.id !== y.id) return `child ${i} is missing or out of place`
      a.targets.found(one.at, x.at - one.bodyAt, i)
      b.targets.found(other.at, y.at - other.bodyAt, i)
      const difference = await childDifference(left, x, right, y)
      if (difference !== undefined) return `child ${i}: ${difference}`
    }
  } finally {
    await children.return()
    await others.return()
  }
}

async function childDifference(left: Side, x: ClusterChild, right: Side, y: ClusterChild): Promise<string | undefined> {
  if (x.id === CRC_32) return undefined
  if (x.id === POSITION || x.id === PREVIOUS_SIZE) {
    const isRight = x.end - x.bodyAt === y.end - y.bodyAt && (await isRightField(left, x)) && (await isRightField(right, y))
    return isRight && ((await fieldOf(left, x)) === 0) === ((await fieldOf(right, y)) === 0)
      ? undefined
      : 'the place of the cluster is wrong'
  }
  if (x.group && y.group) return contentDifference(x.group, y.group, GROUP_DEPTH)
  return await rangeDifference(left[0], x, right[0], y)
}

const fieldOf = async ([{ reader }]: Side, { bodyAt, end }: ClusterChild) =>
  unsignedAt(await reader.bytes(bodyAt, end - bodyAt), 0, Math.min(8, end - bodyAt))

/** True if a field tells the position of its cluster, or the size of the one in front of it. Live streams have zero. */
async function isRightField(side: Side, child: ClusterChild): Promise<boolean> {
  const [{ start }, { at }, previous] = side
  const value = await fieldOf(side, child)
  return value === 0 || value === (child.id === POSITION ? at - start : previous && previous.end - previous.at)
}

async function* keptChildren({ reader }: MatroskaFile, cluster: Element): AsyncGenerator<ClusterChild, void> {
  for await (const child of childrenOfCluster(reader, cluster)) if (child.id !== VOID) yield child
}
