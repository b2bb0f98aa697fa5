/** V8 flags for workerd on this machine, as Miniflare's environment variable MINIFLARE_WORKERD_V8_FLAGS. */
/**
 * Sweeps on the main thread. With few V8 helper threads, all of them may wait for a collection while the main thread waits for
 * one of them: workerd then uses a full core and never responds again.
 */
const SWEEP_ON_MAIN_THREAD = '--single-threaded-gc'

/**
 * Makes every garbage collection a full one, at about 10 % more CPU time for a small response. Small collections do not free workerd's
 * own objects. V8 counts only about 1 KB of the 10 to 50 KB that a request leaves, so it would wait for hundreds of MB.
 */
const COLLECT_ALL = '--gc-global'

/** Flags for workerd with codecs, as under `wrangler dev`. Codecs make much short-lived garbage, which small collections free. */
export const CODEC_V8_ENVIRONMENT = environment(SWEEP_ON_MAIN_THREAD)
/** Flags for workerd without codecs. It runs for months. */
export const EDGE_V8_ENVIRONMENT = environment(`${SWEEP_ON_MAIN_THREAD} ${COLLECT_ALL}`)

/** Combines the flags. Flags set by the user come last, so they win. */
function environment(flags: string) {
  const userFlags = process.env['MINIFLARE_WORKERD_V8_FLAGS']
  return { MINIFLARE_WORKERD_V8_FLAGS: userFlags ? `${flags} ${userFlags}` : flags }
}
