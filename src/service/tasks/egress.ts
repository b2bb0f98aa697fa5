/** Outgoing HTTP requests: directly on Cloudflare, or through an egress proxy on one machine, which checks the resolved address. */

/** Headers of the egress proxy: target URL of the request, and reason of a refusal in the response. */
export const EGRESS_TARGET = 'x-egress-target'
export const EGRESS_REFUSAL = 'x-egress-refusal'
/** Header of the egress proxy: bodies of any size pass in both directions, and only the sender ends the request. */
export const EGRESS_STREAM = 'x-egress-stream'

export type Send = (url: string, request: RequestInit) => Promise<Response>

export interface EgressOptions {
  /** True: bodies of any size pass, and the caller ends the request with its signal. Default: short messages within 15 s. */
  readonly stream?: boolean
}

/**
 * Returns the function for outgoing requests. Requests over http, which go only to this machine, bypass the proxy.
 * @param through address of the egress proxy; `undefined`: send directly
 */
export function egressSender(through: string | undefined, { stream = false }: EgressOptions = {}): Send {
  return async (url, request) => {
    if (through === undefined || url.startsWith('http:')) return fetch(url, request)
    const headers = new Headers(request.headers)
    headers.set(EGRESS_TARGET, url)
    if (stream) headers.set(EGRESS_STREAM, '1')
    const answer = await fetch(through, { ...request, headers })
    const refusal = answer.headers.get(EGRESS_REFUSAL)
    if (refusal !== null) throw new Error(refusal)
    return answer
  }
}
