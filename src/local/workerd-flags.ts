/**
 * V8 flags for a workerd on this machine, as miniflare's environment variable. With V8's helper threads few, all of them may
 * wait for a collection at once while the main thread spins in its message loop until one of them has swept the embedder's
 * heap: workerd then burns a core and answers nothing, for ever. Sweeping on the main thread leaves nothing to wait for.
 * Cloudflare's own runtime is another platform.
 */
const SWEEP_ALONE = '--single-threaded-gc'

/**
 * What an answered request leaves is let go by full collections only: objects of workerd's own hang on those of V8, and small
 * collections keep them. V8 counts some 1 KB of each request, of the 10 to 50 that there are, and waits for hundreds of MB.
 * With this every collection is a full one: a tenth more processor time for a small answer.
 */
const COLLECT_ALL = '--gc-global'

/** For workerd with codecs in it, as under `wrangler dev`: their young garbage is large, and small collections free it. */
export const WORKERD_ENVIRONMENT = environment(SWEEP_ALONE)
/** For workerd without codecs: it runs for months. */
export const EDGE_ENVIRONMENT = environment(`${SWEEP_ALONE} ${COLLECT_ALL}`)

/** Flags that the user has set come last and win. */
function environment(flags: string) {
  const told = process.env['MINIFLARE_WORKERD_V8_FLAGS']
  return { MINIFLARE_WORKERD_V8_FLAGS: told ? `${flags} ${told}` : flags }
}
