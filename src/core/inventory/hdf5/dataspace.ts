import type { Cursor } from './cursor.ts'

/** Shape of an attribute or a dataset. */
export interface Dataspace {
  /** Number of values. A dataset can declare more than it has. */
  readonly count: number
  readonly isNull: boolean
  readonly dimensions: readonly number[]
  /** Largest size of each dimension; `undefined`: unlimited. */
  readonly most: readonly (number | undefined)[]
}

const HAS_MOST = 1
const NULL_SPACE = 2

/** Parses a dataspace message (HDF5 File Format Specification 4.0, IV.A.2.b). */
export function dataspaceOf(content: Cursor): Dataspace {
  const [version, rank, flags] = [content.u8(), content.u8(), content.u8()]
  const type = content.u8()
  if (version === 1) content.skip(4)
  const { lengthBytes } = content.sizes
  const dimensions: number[] = []
  let count = 1
  for (let i = 0; i < rank; i++) {
    const size = content.length()
    dimensions.push(size)
    count *= size
  }
  let most: (number | undefined)[] = dimensions
  if (flags & HAS_MOST) {
    most = []
    for (let i = 0; i < rank; i++) most.push(content.unlessOnes(lengthBytes))
  }
  const isNull = version >= 2 && type === NULL_SPACE
  return { count: isNull ? 0 : count, isNull, dimensions, most }
}

/** Text of the shape, for example `(40, 80)`. Limits that differ from the size follow. */
export function shapeOf({ isNull, dimensions, most }: Dataspace): string {
  if (isNull) return 'empty'
  const shape = `(${dimensions.join(', ')})`
  if (dimensions.every((size, i) => size === most[i])) return shape
  return `${shape} of at most (${most.map((size) => size ?? 'unlimited').join(', ')})`
}
