/** One migration of an object's tables: SQL, or a function. A released migration never changes; later changes append another one. */
export type SchemaStep = string | ((sql: SqlStorage) => void)

/**
 * Runs the migrations of table group `part` that have not run yet, in one transaction. The object stores how many have run.
 * The first migration must accept existing tables, because the oldest objects have tables but no stored number.
 * Each migration must keep what the release before it needs, so that a release can be rolled back.
 */
export function migrate(storage: DurableObjectStorage, part: string, steps: readonly SchemaStep[]): void {
  const name = `schema/${part}`
  const applied = storage.kv.get<number>(name) ?? 0
  if (applied >= steps.length) return
  storage.transactionSync(() => {
    for (const step of steps.slice(applied)) {
      if (typeof step === 'string') storage.sql.exec(step)
      else step(storage.sql)
    }
    storage.kv.put(name, steps.length)
  })
}
