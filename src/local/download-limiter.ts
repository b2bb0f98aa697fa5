/**
 * Unfinished downloads in the local reverse proxy: few for each key, and a bounded number in all. Keys take turns. While others wait, a key
 * with more downloads than they have loses those that its client reads slowly.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface DownloadLimits {
  /** Unfinished downloads of one key, as many as a browser opens. */
  readonly perKey: number
  /** Unfinished downloads of all keys together. Each holds about 1 MB in the processes of the service. */
  readonly all: number
  readonly waitingPerKey: number
  readonly waitMs: number
  /** Milliseconds between two measurements of the downloads, while all places are taken. */
  readonly paceMs: number
}

const LIMITS: DownloadLimits = { perKey: 6, all: 96, waitingPerKey: 64, waitMs: 20_000, paceMs: 5000 }
/** Pace below which a download can lose its place: 2 Mbit/s, as for uploads. */
const MIN_BYTES_PER_SECOND = 256 * 1024
/** Paths whose responses are as long as a client's files. The first group of a link is its token. */
const DOWNLOAD_PATH = /\/download\/?(?:\?|$)|^\/d\/([^/?]+)/
const BEARER = /^bearer\s+(\S+)/i
const SESSION_COOKIE = /(?:^|;\s*)whittle_session=([^;]*)/

interface Waiting {
  /** Order of arrival among all keys. */
  readonly turn: number
  settle(begins: boolean): void
}

interface Download {
  bytesWritten: number
  /** True if bytes waited for the client when the download was last measured. */
  waited: boolean
}

interface Key {
  readonly running: Map<ServerResponse, Download>
  readonly waiting: Set<Waiting>
}

/** Admits downloads, each key at most `perKey`, and all together at most `all`. */
export class DownloadLimiter {
  readonly #limits: DownloadLimits
  /** An entry exists only while one of its downloads does. */
  readonly #keys = new Map<string, Key>()
  #running = 0
  #waiting = 0
  #turns = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Partial<DownloadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Waits until this request may download, for at most 20 s. Its place is free again when `outgoing` closes.
   * @returns false if too many downloads are unfinished
   */
  async admit(incoming: IncomingMessage, path: string, outgoing: ServerResponse): Promise<boolean> {
    const name = keyOf(incoming, path)
    if (name === undefined || outgoing.destroyed) return true
    const key = this.#keys.get(name) ?? { running: new Map(), waiting: new Set() }
    this.#keys.set(name, key)
    if (key.running.size < this.#limits.perKey && this.#running < this.#limits.all) this.#start(name, key, outgoing)
    else if (key.waiting.size >= this.#limits.waitingPerKey || !(await this.#waitFor(name, key, outgoing))) return false
    return true
  }

  #start(name: string, key: Key, outgoing: ServerResponse): void {
    key.running.set(outgoing, { bytesWritten: 0, waited: false })
    this.#running++
    outgoing.once('close', () => {
      key.running.delete(outgoing)
      this.#running--
      this.#forgetIfIdle(name, key)
      this.#startWaiting()
    })
  }

  /** @returns false if the wait was too long or the client left */
  #waitFor(name: string, key: Key, outgoing: ServerResponse): Promise<boolean> {
    this.#waiting++
    this.#timer ??= setInterval(() => this.#evictSlow(), this.#limits.paceMs).unref()
    return new Promise((resolve) => {
      const settle = (begins: boolean) => {
        clearTimeout(timer)
        outgoing.off('close', leave)
        key.waiting.delete(waiting)
        if (--this.#waiting === 0) this.#stopMeasuring()
        if (begins) this.#start(name, key, outgoing)
        else this.#forgetIfIdle(name, key)
        resolve(begins)
      }
      const leave = () => settle(false)
      const timer = setTimeout(leave, this.#limits.waitMs)
      const waiting = { turn: this.#turns++, settle }
      key.waiting.add(waiting)
      outgoing.once('close', leave)
    })
  }

  /** Gives free places to the keys with the fewest running downloads, and among those in order of arrival. */
  #startWaiting(): void {
    for (let next = this.#next(); next; next = this.#next()) next.settle(true)
  }

  #next(): Waiting | undefined {
    if (this.#running >= this.#limits.all) return undefined
    let best: { running: number; waiting: Waiting } | undefined
    for (const { running, waiting } of this.#keys.values()) {
      const [first] = waiting
      if (!first || running.size >= this.#limits.perKey) continue
      if (best && (running.size - best.running || first.turn - best.waiting.turn) > 0) continue
      best = { running: running.size, waiting: first }
    }
    return best?.waiting
  }

  /** Measures all downloads. Closes the slow ones of the keys with the most, one for each key that waits and has fewer. */
  #evictSlow(): void {
    const slow: { key: Key; outgoing: ServerResponse }[] = []
    for (const key of this.#keys.values())
      for (const [outgoing, download] of key.running) if (isSlow(outgoing, download, this.#limits.paceMs)) slow.push({ key, outgoing })
    if (this.#running < this.#limits.all) return
    slow.sort((a, b) => b.key.running.size - a.key.running.size)
    const fewest = [...this.#keys.values()]
      .filter(({ running, waiting }) => waiting.size > 0 && running.size < this.#limits.perKey)
      .sort((a, b) => a.running.size - b.running.size)
    for (const [at, { running }] of fewest.entries()) {
      const victim = slow[at]
      if (!victim || victim.key.running.size <= running.size) break
      victim.outgoing.destroy()
    }
  }

  #stopMeasuring(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #forgetIfIdle(name: string, { running, waiting }: Key): void {
    if (running.size === 0 && waiting.size === 0) this.#keys.delete(name)
  }
}

/** True if bytes waited for the client at the last two measurements, and few were sent in between. */
function isSlow(outgoing: ServerResponse, download: Download, paceMs: number): boolean {
  const { socket } = outgoing
  const waits = outgoing.writableLength > 0 || (socket?.writableLength ?? 0) > 0
  const written = (socket?.bytesWritten ?? 0) - download.bytesWritten
  const slow = waits && download.waited && written < (MIN_BYTES_PER_SECOND * paceMs) / 1000
  download.bytesWritten = socket?.bytesWritten ?? 0
  download.waited = waits
  return slow
}

/**
 * Name of the key whose places a request needs: its API key or session, or the token of a link, which needs no key. `undefined`: it is no
 * download.
 */
function keyOf({ method, headers }: IncomingMessage, path: string): string | undefined {
  if (method !== 'GET') return undefined
  const download = DOWNLOAD_PATH.exec(path)
  if (!download) return undefined
  const [, link] = download
  if (link !== undefined) return `link ${link}`
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? SESSION_COOKIE.exec(headers.cookie ?? '')?.[1] ?? ''
}
