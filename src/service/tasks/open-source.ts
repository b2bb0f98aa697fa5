/** Opens the address of a source: asks for the plain file, follows redirects, and judges each address again. */
import type { Send } from './egress.ts'
import { checkOutgoingUrl, type OutgoingRules } from './outgoing-url.ts'
import { MAX_REDIRECTS, sourceUnreachable } from './source-trouble.ts'

/** Longest address in characters. Presigned addresses with a session token are longer than 2,048. */
export const MAX_ADDRESS_LENGTH = 4096

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export interface OpenSource {
  /** Address that answered, after all redirects. */
  readonly url: string
  readonly headers: Headers
  /** Announced length in bytes. `undefined`: none, or not valid. */
  readonly length: number | undefined
  readonly body: ReadableStream<Uint8Array>
}

export interface OpenOptions {
  readonly send: Send
  readonly rules: OutgoingRules
  readonly signal: AbortSignal
  /** Conditional headers of the request. An answer with 304 throws like every other status that is not 200. Default: none. */
  readonly conditions?: Readonly<Record<string, string>>
  /** Returns whether a redirect to an allowed address is followed. Default: always. */
  readonly mayFollow?: (target: string) => boolean
}

/**
 * @throws ApiError `source_unreachable`
 * @throws the reason of `signal`
 */
export async function openSource(address: string, options: OpenOptions): Promise<OpenSource> {
  const { rules, mayFollow = () => true } = options
  let url = address
  for (let redirects = 0; ; redirects++) {
    const response = await ask(url, options)
    const { status, headers, body } = response
    if (status === 200 && body && !isEncoded(headers)) return { url, headers, length: lengthOf(headers), body }
    await body?.cancel().catch(() => undefined)
    if (status === 200) throw sourceUnreachable(body ? 'content_encoding' : 'cut_off', status)
    if (!REDIRECTS.includes(status)) throw sourceUnreachable('http_status', status)
    if (redirects === MAX_REDIRECTS) throw sourceUnreachable('too_many_redirects', status)
    const target = redirectTarget(url, headers.get('Location'), rules)
    url = target !== undefined && mayFollow(target) ? target : refuseRedirect(status)
  }
}

async function ask(url: string, { send, signal, conditions = {} }: OpenOptions): Promise<Response> {
  try {
    return await send(url, {
      method: 'GET',
      redirect: 'manual',
      signal,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Whittle-Fetch/1.0', ...conditions },
    })
  } catch {
    signal.throwIfAborted()
    throw sourceUnreachable('no_connection')
  }
}

function lengthOf(headers: Headers): number | undefined {
  const text = headers.get('Content-Length')
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** True if the body is compressed for the transfer. It is refused unread, because a small body may expand to any size. */
const isEncoded = (headers: Headers) => !/^(identity)?$/i.test(headers.get('Content-Encoding')?.trim() ?? '')

/** Returns the target of a redirect. `undefined`: it has none, or it is not allowed. */
function redirectTarget(from: string, location: string | null, { loopbackHttp, ...rules }: OutgoingRules): string | undefined {
  if (!location || !URL.canParse(location, from)) return undefined
  // In local development, only a source on this machine may redirect to this machine.
  const checked = checkOutgoingUrl(new URL(location, from).href, { ...rules, loopbackHttp: loopbackHttp && from.startsWith('http:') })
  return checked.ok ? checked.url : undefined
}

const refuseRedirect = (status: number): never => {
  throw sourceUnreachable('unsafe_redirect', status)
}
