/** Accounts of requests in the local reverse proxy, as the Worker names them in its responses, and the names of downloads. */
import type { IncomingHttpHeaders } from 'node:http'
import type { DownloadNames } from './download-limiter.ts'

/** Paths whose responses are as long as a client's files. The first group of a link is its token. */
const DOWNLOAD_PATH = /\/download\/?(?:\?|$)|^\/d\/([^/?]+)/
const BEARER = /^bearer\s+(\S+)/i
const SESSION_COOKIE = /(?:^|;\s*)whittle_session=([^;]*)/
/** Addresses of this machine. Its clients, and those of a proxy on it, would share one. */
const OWN_ADDRESS = /^(::ffff:)?127\.|^::1$/
/** Most keys and links whose account is remembered. Each takes about 200 bytes. */
const MAX_KNOWN = 10_000

export interface OwnedRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Address of the client. */
  readonly address: string
}

/** Asks the Worker for the account of a link, without a download. `undefined`: the link does not work. */
export type LinkLookup = () => Promise<string | undefined>

export class RequestOwners {
  /** Accounts by key, session or link, the oldest first. */
  readonly #accounts = new Map<string, string>()

  /**
   * Account of a request with credentials or for a link. Empty: no response has named it yet. Such requests count as one account, because a
   * client can invent any number of keys.
   * @returns `undefined`: the request has no credentials
   */
  ownerOf(request: OwnedRequest): string | undefined {
    const key = nameOf(request)
    return key === '' ? undefined : (this.#accounts.get(key) ?? '')
  }

  /**
   * Names of a download. A link whose account is not known yet is looked up.
   * @returns `undefined`: the request is no download, or its link does not work
   */
  async downloadOf(request: OwnedRequest, lookUp: LinkLookup): Promise<DownloadNames | undefined> {
    const download = request.method === 'GET' ? DOWNLOAD_PATH.exec(request.path) : null
    if (!download) return undefined
    const key = nameOf(request)
    if (download[1] !== undefined && !this.#accounts.has(key)) {
      const account = await lookUp()
      if (account === undefined) return undefined
      this.#keep(key, account)
    }
    return this.#names(key, request.address)
  }

  /** Notes the account that the Worker named in its response to a request. @returns the names of a download by the same client */
  note(request: OwnedRequest, account: string): DownloadNames {
    const key = nameOf(request)
    this.#keep(key, account)
    return this.#names(key, request.address)
  }

  #names(key: string, address: string): DownloadNames {
    return { owner: this.#accounts.get(key) ?? '', key, ...(OWN_ADDRESS.test(address) ? {} : { address }) }
  }

  #keep(key: string, account: string): void {
    this.#accounts.delete(key)
    this.#accounts.set(key, account)
    if (this.#accounts.size <= MAX_KNOWN) return
    const [oldest] = this.#accounts.keys()
    this.#accounts.delete(oldest!)
  }
}

/** API key or session of a request. `undefined`: it has none. */
const credentialsOf = ({ authorization, cookie }: IncomingHttpHeaders) =>
  BEARER.exec(authorization ?? '')?.[1] ?? SESSION_COOKIE.exec(cookie ?? '')?.[1]

/** Name of what gives a client the right to a file: a link, or its API key or session. */
function nameOf({ path, headers }: OwnedRequest): string {
  const link = DOWNLOAD_PATH.exec(path)?.[1]
  return link === undefined ? (credentialsOf(headers) ?? '') : `link ${link}`
}
