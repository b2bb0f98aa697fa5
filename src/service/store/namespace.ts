import type { Hint, Jurisdiction } from './regions.ts'

/** A Durable Object namespace whose stubs have the methods of `Face`. */
export interface Namespace<Face> {
  /** `locationHint` counts when the object is made. */
  getByName(name: string, where?: { locationHint?: Hint }): Face
  /** Other objects under the same names, which stay there. Not in workerd on one machine: only Cloudflare has places. */
  jurisdiction?(jurisdiction: Jurisdiction): Namespace<Face>
}
