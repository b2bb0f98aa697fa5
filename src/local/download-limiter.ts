/**
 * Unfinished downloads in the local reverse proxy: few for each key or link, more for each account and each address, and a bounded number
 * in all. Accounts take turns, and addresses within an account. While others wait, those with more downloads lose the slowly read ones.
 */
import type { ServerResponse } from 'node:http'

export interface DownloadLimits {
  /** Unfinished downloads of one key or link, as many as a browser opens. */
  readonly perKey: number
  /** Unfinished downloads of one account, and of one address. */
  readonly perOwner: number
  /** Unfinished downloads that an account or address may have in any case. It may have more while `reserve` places stay free. */
  readonly own: number
  readonly reserve: number
  /** Unfinished downloads of all together. Each holds about 1 MB in the processes of the service. */
  readonly all: number
  readonly waitingPerOwner: number
  readonly waitMs: number
  /** Milliseconds between two measurements of the downloads, while all places are taken. */
  readonly paceMs: number
}

const LIMITS: DownloadLimits = { perKey: 6, perOwner: 12, own: 6, reserve: 24, all: 96, waitingPerOwner: 64, waitMs: 20_000, paceMs: 5000 }
/** Pace below which a download can lose its place: 2 Mbit/s, as for uploads. */
const MIN_BYTES_PER_SECOND = 256 * 1024

/** Those whose downloads are counted together. */
export interface DownloadNames {
  /** Account that the file belongs to. Empty: not known. */
  readonly owner: string
  /** Key, session or link. */
  readonly key: string
  /** Address of the client. `undefined`: this machine's own, which all clients of a local proxy share. */
  readonly address?: string
}

interface Waiting {
  readonly names: DownloadNames
  settle(begins: boolean): void
}

interface Download {
  readonly names: DownloadNames
  bytesWritten: number
  /** True if bytes waited for the client when the download was last measured. */
  waited: boolean
}

/** Running downloads of an owner, an address and a key. */
interface Counts {
  readonly owner: number
  readonly address: number
  readonly key: number
}

/** Admits downloads within `DownloadLimits`. */
export class DownloadLimiter {
  readonly #limits: DownloadLimits
  readonly #running = new Map<ServerResponse, Download>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Partial<DownloadLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Waits until a download may run, for at most 20 s. Its place is free again when `outgoing` closes.
   * @returns false if too many downloads are unfinished
   */
  async admit(names: DownloadNames, outgoing: ServerResponse): Promise<boolean> {
    if (outgoing.destroyed) return true
    if (!this.#fits(names)) {
      const waiting = [...this.#waiting].filter((other) => other.names.owner === names.owner).length
      return waiting < this.#limits.waitingPerOwner && this.#waitFor(names, outgoing)
    }
    this.#start(names, outgoing)
    return true
  }

  #start(names: DownloadNames, outgoing: ServerResponse): void {
    this.#running.set(outgoing, { names, bytesWritten: 0, waited: false })
    outgoing.once('close', () => {
      this.#running.delete(outgoing)
      this.#startWaiting()
    })
  }

  #fits(names: DownloadNames): boolean {
    const { perKey, perOwner, own, reserve, all } = this.#limits
    const counts = this.#countsOf(names)
    const most = Math.max(counts.owner, counts.address)
    if (this.#running.size >= all || counts.key >= perKey || most >= perOwner) return false
    return most < own || this.#running.size + reserve < all
  }

  #countsOf({ owner, address, key }: DownloadNames): Counts {
    const counts = { owner: 0, address: 0, key: 0 }
    for (const { names } of this.#running.values()) {
      if (names.owner === owner) counts.owner++
      if (address !== undefined && names.address === address) counts.address++
      if (names.owner === owner && names.key === key) counts.key++
    }
    return counts
  }

  /** @returns false if the wait was too long or the client left */
  #waitFor(names: DownloadNames, outgoing: ServerResponse): Promise<boolean> {
    this.#timer ??= setInterval(() => this.#evictSlow(), this.#limits.paceMs).unref()
    return new Promise((resolve) => {
      const settle = (begins: boolean) => {
        clearTimeout(timer)
        outgoing.off('close', leave)
        this.#waiting.delete(waiting)
        if (this.#waiting.size === 0) this.#stopMeasuring()
        if (begins) this.#start(names, outgoing)
        resolve(begins)
      }
      const leave = () => settle(false)
      const timer = setTimeout(leave, this.#limits.waitMs)
      const waiting = { names, settle }
      this.#waiting.add(waiting)
      outgoing.once('close', leave)
    })
  }

  /** Gives free places to those with the fewest running downloads, and among those in order of arrival. */
  #startWaiting(): void {
    for (let next = this.#next(); next; next = this.#next()) next.settle(true)
  }

  #next(): Waiting | undefined {
    let best: { readonly waiting: Waiting; readonly counts: Counts } | undefined
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.names)) continue
      const counts = this.#countsOf(waiting.names)
      if (!best || hasFewer(counts, best.counts)) best = { waiting, counts }
    }
    return best?.waiting
  }

  /** Measures all downloads. If all places are taken, closes slow ones, one for each waiting client whose turn is before theirs. */
  #evictSlow(): void {
    const slow = [...this.#running].filter(([outgoing, download]) => isSlow(outgoing, download, this.#limits.paceMs))
    if (this.#running.size < this.#limits.all) return
    const victims = slow.map(([outgoing, { names }]) => ({ outgoing, names, counts: this.#countsOf(names) }))
    victims.sort((a, b) => compare(b.counts, a.counts))
    const waiting = firstOfEach(this.#waiting).map(({ names }) => ({ names, counts: this.#countsOf(names) }))
    for (const one of waiting.sort((a, b) => compare(a.counts, b.counts))) {
      const at = victims.findIndex((victim) => hasMore(victim, one))
      if (at >= 0) victims.splice(at, 1)[0]!.outgoing.destroy()
    }
  }

  #stopMeasuring(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** Compares by owner, then by address, then by key. Negative: `a` has fewer running downloads. */
const compare = (a: Counts, b: Counts) => a.owner - b.owner || a.address - b.address || a.key - b.key
const hasFewer = (a: Counts, b: Counts) => compare(a, b) < 0

interface Counted {
  readonly names: DownloadNames
  readonly counts: Counts
}

/** True if `a` has more running downloads than `b`, by the first of owner, address and key in which they differ. */
function hasMore(a: Counted, b: Counted): boolean {
  for (const part of ['owner', 'address', 'key'] as const) if (a.names[part] !== b.names[part]) return a.counts[part] > b.counts[part]
  return false
}

/** The first waiting client of each account and key. */
function firstOfEach(waiting: Iterable<Waiting>): Waiting[] {
  const first = new Map<string, Waiting>()
  for (const one of waiting) {
    const name = `${one.names.owner} ${one.names.key}`
    if (!first.has(name)) first.set(name, one)
  }
  return [...first.values()]
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
