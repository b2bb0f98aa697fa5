/** Minimises a file that shows a problem, with a limited number of trials. */
import { concat } from '../../src/core/bytes/concat.ts'

/** Removes pieces of half the file, then of a quarter, and so on (ddmin), if `shows` is still true. `trials`: largest number of calls. */
export async function minimise(bytes: Uint8Array, shows: (bytes: Uint8Array) => Promise<boolean>, trials: number): Promise<Uint8Array> {
  let made = bytes
  for (let size = made.length >> 1; size >= 1 && trials > 0; size >>= 1) {
    for (let at = 0; at < made.length && trials > 0; ) {
      const less = concat([made.subarray(0, at), made.subarray(at + size)])
      trials--
      if (await shows(less)) made = less
      else at += size
    }
  }
  return made
}
