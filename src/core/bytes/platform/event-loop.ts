/** Turns of the event loop. */

/** Waits for the next turn by a timer. Browsers delay timers that follow each other by 4 ms (HTML, 8.7). */
const byTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** Returns a function that waits for the next turn by a message, which browsers do not delay. */
export function turnsByMessage(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel()
  const waiting: (() => void)[] = []
  port1.onmessage = () => waiting.shift()?.()
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      port2.postMessage(undefined)
    })
}

/** The global `process` of Node, Deno, Bun and workerd. An open port would keep such a process alive. */
const isServer = typeof (globalThis as { process?: { getBuiltinModule?: unknown } }).process?.getBuiltinModule === 'function'

/** Waits for the next turn of the event loop, so that timers, messages and I/O are handled. */
export const nextTurn: () => Promise<void> = isServer || typeof MessageChannel === 'undefined' ? byTimer : turnsByMessage()
