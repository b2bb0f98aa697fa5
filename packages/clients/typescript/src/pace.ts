/** Keeps requests within the rate limit that the service reports, so that it need not refuse any. */

/** Policy `"minute"` of `RateLimit`: `r` requests remain, the window resets in `t` seconds (draft-ietf-httpapi-ratelimit-headers). */
const REMAINING = /;\s*r=(\d+)/
const RESET = /;\s*t=(\d+)/
/** Milliseconds after which a request that waits checks again, because another response may have reported more. */
const CHECK_MS = 1000

export class Pace {
  /** Requests that remain in the window. `undefined`: not known. */
  #remaining: number | undefined
  #resetMs = 0
  #inFlight = 0

  /** Milliseconds until the next check. 0: a request may be sent, and counts from now on. */
  begin(nowMs: number): number {
    if (this.#remaining !== undefined && nowMs >= this.#resetMs) this.#remaining = undefined
    if (this.#remaining !== undefined && this.#remaining <= 0) return Math.min(CHECK_MS, this.#resetMs - nowMs)
    if (this.#remaining !== undefined) this.#remaining--
    this.#inFlight++
    return 0
  }

  /** Ends a request. @param header value of `RateLimit`. `null`: the service reports no limit, or did not respond */
  end(header: string | null, nowMs: number): void {
    this.#inFlight--
    const [remaining, reset] = [REMAINING, RESET].map((part) => part.exec(header ?? '')?.[1])
    if (remaining === undefined || reset === undefined) return
    // The service may not have counted the requests that are on their way.
    this.#remaining = Number(remaining) - this.#inFlight
    this.#resetMs = nowMs + Number(reset) * 1000
  }
}
