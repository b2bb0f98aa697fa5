/** Addresses of the service in imports and style sheets. */
import type { Plugin } from 'esbuild'

/** Paths of the service that the pages load at run time. */
const SERVED = ['/app/', '/console/pdf/']

/**
 * Leaves imports and `url()` of served paths as they are written. esbuild's option `external` also compares where a file is on disk, so in
 * a checkout at `/app` (as in the container image) it leaves out every file.
 */
export function servedAddresses(prefixes: readonly string[] = SERVED): Plugin {
  return {
    name: 'served-addresses',
    setup(build) {
      build.onResolve({ filter: /^\// }, ({ path, kind }) =>
        kind !== 'entry-point' && prefixes.some((prefix) => path.startsWith(prefix)) ? { path, external: true } : undefined,
      )
    },
  }
}
