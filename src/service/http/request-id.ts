/** Request ids: the id that the caller sent if it is safe to repeat, otherwise a new one. */
import { randomBase62 } from '../store/key-format.ts'

const HARMLESS = /^[A-Za-z0-9._-]{1,64}$/

export function requestId(given: string | undefined): string {
  return given !== undefined && HARMLESS.test(given) ? given : `req_${randomBase62(20)}`
}
