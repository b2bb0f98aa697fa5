/** Values that `start-servers.ts` provides to the tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** Addresses of the servers. `''`: it could not be started. */
    readonly minio: string
    readonly azurite: string
  }
}

export {}
