/** Report of a build. */

export interface AssetReport {
  /** File name below the output folder. */
  readonly file: string
  /** Size in bytes before. */
  readonly originalSize: number
  /** Size in bytes in the build. Equal to `originalSize` if the asset stays as it is. */
  readonly size: number
  /** True: the result is from an earlier build. */
  readonly isCached: boolean
  /** Why the asset could not be compressed. `undefined`: it was, or it is already as small as it gets. */
  readonly error?: string
}

/** For example `12 assets: 3200 kB → 1100 kB, 65.6% saved in 2.1 s (8 from the cache)`. */
export function summaryOf(rows: readonly AssetReport[], elapsedMs: number): string {
  const before = rows.reduce((sum, { originalSize }) => sum + originalSize, 0)
  const after = rows.reduce((sum, { size }) => sum + size, 0)
  const cached = rows.filter(({ isCached }) => isCached).length
  const share = before > 0 ? ((1 - after / before) * 100).toFixed(1) : '0.0'
  const count = `${rows.length} asset${rows.length === 1 ? '' : 's'}`
  const sizes = `${kilobytes(before)} → ${kilobytes(after)}, ${share}% saved in ${(elapsedMs / 1000).toFixed(1)} s`
  return `${count}: ${sizes}${cached > 0 ? ` (${cached} from the cache)` : ''}`
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`
