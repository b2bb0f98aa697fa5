import type { Hint, Jurisdiction } from './regions.ts'

/** Durable Object namespace whose stubs have the methods of `Api`. */
export interface Namespace<Api> {
  /** Returns the Durable Object named `name`. `locationHint` matters only when the object is created. */
  getByName(name: string, where?: { locationHint?: Hint }): Api
  /**
   * Returns the namespace of a jurisdiction, in which equal names mean different objects. Supported only by Cloudflare, not by workerd.
   */
  jurisdiction?(jurisdiction: Jurisdiction): Namespace<Api>
}
