/** Results that disappear after their first download. */
import type { Task } from './api.ts'

/** Longest time in ms for which the service keeps a result that its owner may download once (`retention=0`). */
const SINGLE_DOWNLOAD_MS = 3_600_000

/** True if the page may load the result without taking it from its owner: it stays after a download. */
export const isKept = ({ created_at: created, expires_at: expires }: Task): boolean =>
  expires !== undefined && Date.parse(expires) - Date.parse(created) > SINGLE_DOWNLOAD_MS
