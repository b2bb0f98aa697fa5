/**
 * Miniflare, loaded with `require`. If a module imports a CommonJS package, Node reads its source twice and retains both copies, which
 * are 23 MB here.
 */
import { createRequire } from 'node:module'

const miniflare: typeof import('miniflare') = createRequire(import.meta.url)('miniflare')

export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = miniflare
