/** Resident memory of a process by kind of region, from /proc/PID/smaps. Shows which part of a process grows. */
import { readFileSync } from 'node:fs'

const KB = 1024
const MB = 1024 * KB
/** Size of a page of V8's heap in bytes. */
const V8_PAGE_BYTES = 256 * KB
/** Header of a region: addresses, permissions, offset, device, inode, path (proc_pid_smaps(5)). */
const HEADER = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+ *(.*)$/

/** Resident bytes by kind of region. Empty: the process has ended. */
export type Regions = ReadonlyMap<string, number>

export function regionsOf(pid: number): Regions {
  const regions = new Map<string, number>()
  let kind = ''
  for (const line of smapsOf(pid).split('\n')) {
    const header = HEADER.exec(line)
    if (header) kind = kindOf(header)
    const [, kilobytes] = /^Rss: +(\d+) kB/.exec(line) ?? []
    if (kilobytes !== undefined && kilobytes !== '0') regions.set(kind, (regions.get(kind) ?? 0) + Number(kilobytes) * KB)
  }
  return regions
}

function kindOf([, from = '0', to = '0', permissions = '', path = '']: RegExpExecArray): string {
  if (path === '[heap]') return 'malloc'
  if (path.startsWith('/')) return 'files'
  if (path !== '') return path
  const bytes = Number.parseInt(to, 16) - Number.parseInt(from, 16)
  if (permissions.includes('x')) return 'compiled code'
  if (bytes === V8_PAGE_BYTES) return 'V8 heap pages'
  return bytes >= 4 * MB ? 'other, from 4 MB' : 'other, below 4 MB'
}

function smapsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps`, 'utf8')
  } catch {
    return ''
  }
}

/** Kinds whose bytes differ by a megabyte or more, as text. */
export function differences(before: Regions, after: Regions): string {
  const kinds = [...new Set([...before.keys(), ...after.keys()])]
  const grown = kinds.map((kind) => ({ kind, bytes: (after.get(kind) ?? 0) - (before.get(kind) ?? 0) }))
  return grown
    .filter(({ bytes }) => Math.abs(bytes) >= 1e6)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ kind, bytes }) => `${kind} ${bytes > 0 ? '+' : ''}${(bytes / 1e6).toFixed(1)}`)
    .join(', ')
}
