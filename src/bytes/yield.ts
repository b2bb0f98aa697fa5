/**
 * Lets other events of the isolate run. Called between pieces of a long computation, so that leases and aborts are heard and a
 * queue does not take the worker for dead. With a signal: throws its reason where the task is gone.
 */
export async function yieldToOthers(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
  signal?.throwIfAborted()
}
