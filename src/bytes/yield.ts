/** Lets other events of the isolate run. Called between pieces of a long computation, so that leases and aborts are heard. */
export const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
