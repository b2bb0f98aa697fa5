/** Makes the code caches of the press processes: see press/cached.ts. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** Name under which a bundle of a press process finds its own address. */
export const BUNDLE_ADDRESS = 'BUNDLE_ADDRESS'
/** Argument of `press/cached.ts`: write the cache and end. */
export const MAKE_CODE_CACHE = 'make-code-cache'

const TIMEOUT_MS = 60_000

/** Starts a press process without a parent, which writes its cache and ends. Without a cache, press processes only start more slowly. */
export function makeCodeCache(folder: string, bundle: string): Promise<void> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, `${bundle}.mjs`), MAKE_CODE_CACHE], { env: { TZ: 'UTC' }, timeout: TIMEOUT_MS }, () =>
      resolve(),
    )
  })
}

/** Escapes the characters outside of ASCII that esbuild leaves, which are all in regular expressions. */
export const inAscii = (source: string): string =>
  source.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
