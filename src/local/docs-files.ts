/** Serves the documentation site from disk, because `npm start` builds it while the service already runs. */
import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { Request, Response as ServiceResponse } from 'miniflare'
import { Response } from './miniflare.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
}

/** Answers requests for files below `folder` with the same paths. A missing file, another type and a path outside of it return 404. */
export function docsFiles(folder: string): (request: Request) => Promise<ServiceResponse> {
  return async (request) => {
    const path = pathIn(folder, new URL(request.url).pathname)
    const type = path === undefined ? undefined : TYPES[extname(path)]
    if (path === undefined || type === undefined) return new Response(null, { status: 404 })
    try {
      return new Response(await readFile(path), { headers: { 'Content-Type': type } })
    } catch {
      return new Response(null, { status: 404 })
    }
  }
}

/** Path of a file in `folder`. `undefined`: outside of it, or not valid. */
function pathIn(folder: string, pathname: string): string | undefined {
  try {
    const path = join(folder, decodeURIComponent(pathname))
    return path.startsWith(folder + sep) && !path.includes('\0') ? path : undefined
  } catch {
    return undefined
  }
}
