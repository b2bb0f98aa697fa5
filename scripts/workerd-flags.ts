/**
 * V8 flags for a workerd on this machine, as miniflare's environment variable. With V8's helper threads few, all of them may
 * wait for a collection at once while the main thread spins in its message loop until one of them has swept the embedder's
 * heap: workerd then burns a core and answers nothing, for ever. Sweeping on the main thread leaves nothing to wait for.
 * Cloudflare's own runtime is another platform.
 */
export const WORKERD_ENVIRONMENT = {
  MINIFLARE_WORKERD_V8_FLAGS: process.env['MINIFLARE_WORKERD_V8_FLAGS'] ?? '--single-threaded-gc',
}
