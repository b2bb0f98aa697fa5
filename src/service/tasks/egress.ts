/** Outgoing HTTP requests: directly on Cloudflare, or through an egress proxy on one machine, which checks the resolved address. */

/** Headers of the egress proxy: target URL of the request, and reason of a refusal in the response. */
export const EGRESS_TARGET = 'x-egress-target'
export const EGRESS_REFUSAL = 'x-egress-refusal'

export type Send = (url: string, request: RequestInit) => Promise<Response>

/**
 * Returns the function for outgoing requests. Requests over http, which go only to this machine, bypass the proxy.
 * @param through address of the egress proxy; `undefined`: send directly
 */
export function egressSender(through: string | undefined): Send {
  return async (url, request) => {
    if (through === undefined || url.startsWith('http:')) return fetch(url, request)
    const headers = new Headers(request.headers)
    headers.set(EGRESS_TARGET, url)
    const answer = await fetch(through, { ...request, headers })
    const refusal = answer.headers.get(EGRESS_REFUSAL)
    if (refusal !== null) throw new Error(refusal)
    return answer
  }
}
