import { MAX_LINKS, type NewLink } from '../../src/service/store/tasks.ts'

const KEY = 'links'

interface StoredLink {
  readonly id: string
  readonly expiresAt: number
  /** Downloads that are left. `null`: no limit. */
  readonly left: number | null
}

const works = ({ expiresAt, left }: StoredLink) => expiresAt > Date.now() && left !== 0

/** Links to the result of a task. Links that no longer work are dropped at the next change. */
export class LinkTable {
  readonly #kv: SyncKvStorage

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  /** Returns `false`, without a change, if `MAX_LINKS` links still work. */
  add({ id, expiresAt, maxDownloads }: NewLink): boolean {
    const links = this.#working()
    if (links.length >= MAX_LINKS) return false
    this.#kv.put(KEY, [...links, { id, expiresAt, left: maxDownloads ?? null }])
    return true
  }

  works(id: string): boolean {
    return this.#working().some((link) => link.id === id)
  }

  /** Counts a download. Returns `false` if the link no longer works. */
  count(id: string): boolean {
    const links = this.#working()
    const link = links.find((candidate) => candidate.id === id)
    if (!link) return false
    const { left } = link
    if (left !== null)
      this.#kv.put(
        KEY,
        links.map((other) => (other === link ? { ...link, left: left - 1 } : other)),
      )
    return true
  }

  #working(): StoredLink[] {
    return (this.#kv.get<StoredLink[]>(KEY) ?? []).filter(works)
  }
}
