/** Runs packages that call `Math` with functions that are the same in all JavaScript engines. */
import { acos, asin, atan, atan2, cos, exp, hypot, log, log10, pow, sin, tan } from './same-math.ts'

const SAME = { acos, asin, atan, atan2, cos, exp, hypot, log, log10, pow, sin, tan }

/** Replaces functions of `Math` during `work`, which is synchronous, so that no other code sees them. */
export function withSameMath<T>(work: () => T): T {
  const own = Object.fromEntries(Object.keys(SAME).map((name) => [name, Math[name as keyof typeof SAME]]))
  Object.assign(Math, SAME)
  try {
    return work()
  } finally {
    Object.assign(Math, own)
  }
}
