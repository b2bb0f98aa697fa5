/** Binding that ends Durable Objects early on a service of one machine (`src/local/unsafe-workers.ts`). */
export interface EvictorApi {
  /**
   * Ends the task objects with these ids once no request uses them, as workerd itself does after 10 s. Their storage stays, and the next
   * request starts them again.
   */
  evict(ids: readonly string[]): Promise<void>
}
