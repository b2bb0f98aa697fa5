/** Paths in an OFD package (GB/T 33190-2016, 7.3). They are compared without case, and both slashes are separators. */

export const folderOf = (name: string) => name.replace(/\\/g, '/').split('/').slice(0, -1).join('/')

export function normalPath(path: string): string {
  const segments: string[] = []
  for (const segment of path.replace(/\\/g, '/').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.join('/').toLowerCase()
}
