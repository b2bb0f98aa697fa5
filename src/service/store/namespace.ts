import type { Hint, Jurisdiction } from './regions.ts'

/** Durable Object namespace whose stubs have the methods of `Face`. */
export interface Namespace<Face> {
  /** Returns the object named `name`. `locationHint` matters only when the object is created. */
  getByName(name: string, where?: { locationHint?: Hint }): Face
  /**
   * Returns the namespace of a jurisdiction. Objects with equal names there are different objects. Only Cloudflare supports it, not
   * workerd.
   */
  jurisdiction?(jurisdiction: Jurisdiction): Namespace<Face>
}
