/** A pool whose code is loaded with its first job, so that the entry of the package stays small. */
import type { PoolOf, PoolOptions } from './pool.ts'

/**
 * @param open loads the code and opens the pool
 * @throws RangeError if `threads` is no whole number above 0
 */
export function deferredPool<In>({ threads = 1 }: PoolOptions, open: () => Promise<PoolOf<In>>): PoolOf<In> {
  if (!Number.isInteger(threads) || threads < 1) throw new RangeError(`threads must be a whole number of at least 1, got ${threads}`)
  let opened: Promise<PoolOf<In>> | undefined
  const pool = () => (opened ??= open())
  return {
    compress: async (...given) => (await pool()).compress(...given),
    verify: async (...given) => (await pool()).verify(...given),
    close: async () => (await pool()).close(),
  }
}
