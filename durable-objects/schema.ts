/**
 * What changes the tables of an object from one release to the next: SQL, or what computes. A released step is never changed:
 * another one is added behind it.
 */
export type SchemaStep = string | ((sql: SqlStorage) => void)

/**
 * Brings the tables of `part` up to the last step, in one transaction. Which steps were taken is kept beside them; objects of
 * before that was kept have what the first step makes, which must not mind. A release that was rolled back finds more steps
 * taken than it knows: a step leaves standing what the release before it needs.
 */
export function migrate(storage: DurableObjectStorage, part: string, steps: readonly SchemaStep[]): void {
  const name = `schema/${part}`
  const taken = storage.kv.get<number>(name) ?? 0
  if (taken >= steps.length) return
  storage.transactionSync(() => {
    for (const step of steps.slice(taken)) {
      if (typeof step === 'string') storage.sql.exec(step)
      else step(storage.sql)
    }
    storage.kv.put(name, steps.length)
  })
}
