/** Most objects of ended tasks that stay in memory. Each holds a SQLite connection: about 250 KB. */
export const MOST_RESTING = 100
/** Number of objects that stay when that number is exceeded. */
const STAYING = 50

/**
 * Objects of this isolate whose task has ended or does not exist, the one that was asked last at the end. workerd ends an object 10 s
 * after its last request, so a list or a sweep of thousands of tasks would hold them all at the same time.
 */
export class RestingObjects {
  readonly #ids = new Set<string>()

  get size(): number {
    return this.#ids.size
  }

  /** Notes that an object rests after this request. @returns ids of the objects to end now, oldest first */
  add(id: string): string[] {
    this.#ids.delete(id)
    this.#ids.add(id)
    if (this.#ids.size <= MOST_RESTING) return []
    const old = [...this.#ids].slice(0, this.#ids.size - STAYING)
    for (const gone of old) this.#ids.delete(gone)
    return old
  }
}
