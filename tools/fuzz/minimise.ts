/** The smallest file that still shows what is wrong, as far as so many trials find it. */
import { concat } from '../../src/core/bytes/concat.ts'

/** Leaves out pieces of half the file, then of a quarter, … (ddmin), as long as `shows` says yes and there are trials left. */
export async function minimised(bytes: Uint8Array, shows: (bytes: Uint8Array) => Promise<boolean>, trials: number): Promise<Uint8Array> {
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
