/** How requests of ours get out: by the platform, or on one machine by the process that judges what a name leads to. */

/** Of a request to the process that goes out: where to. Of its answer: why it did not. */
export const EGRESS_TARGET = 'x-egress-target'
export const EGRESS_REFUSAL = 'x-egress-refusal'

export type Send = (url: string, request: RequestInit) => Promise<Response>

/** `through`: the address of that process, if there is one. It is not for what goes to this machine over http. */
export function sendThrough(through: string | undefined): Send {
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
