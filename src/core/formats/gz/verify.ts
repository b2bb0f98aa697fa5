/** Compares two gzip files: the header and the content of each member, and the bytes behind the last one. */
import { equalBytes } from '../../bytes/equal.ts'
import type { Options, Source, Verdict } from '../../model/codec.ts'
import { GzipMembers } from './read.ts'
import { WINDOW_BYTES } from './tuning.ts'

export async function verifyGzip(original: Source, result: Source, { signal, progress }: Options): Promise<Verdict> {
  using left = new GzipMembers(original, signal)
  using right = new GzipMembers(result, signal)
  for (let member = 0; ; member++) {
    const [one, other] = [await left.header(), await right.header()]
    if (!one && !other) break
    if (!one || !other || !equalBytes(one, other)) return differing(`the header of member ${member} changed`)
    if (!(await haveEqualContent(left, right))) return differing(`the content of member ${member} changed`)
    progress(0.7 + (0.3 * left.at) / original.size)
  }
  return (await haveEqualEnds([original, left.at], [result, right.at]))
    ? { equal: true }
    : differing('the bytes behind the last member changed')
}

const differing = (difference: string): Verdict => ({ equal: false, difference })

/** Compares the contents of two members, which come in chunks of different lengths. Reads both to their ends. */
async function haveEqualContent(left: GzipMembers, right: GzipMembers): Promise<boolean> {
  const [chunks, others] = [left.content(), right.content()]
  let [a, b]: [Uint8Array, Uint8Array] = [new Uint8Array(), new Uint8Array()]
  try {
    for (;;) {
      if (a.length === 0) a = await nextOf(chunks)
      if (b.length === 0) b = await nextOf(others)
      const length = Math.min(a.length, b.length)
      if (length === 0) return a.length === b.length
      if (!equalBytes(a.subarray(0, length), b.subarray(0, length))) return false
      a = a.subarray(length)
      b = b.subarray(length)
    }
  } finally {
    await chunks.return()
    await others.return()
  }
}

/** Next chunk that is not empty. An empty one: the content has ended. */
async function nextOf(chunks: AsyncGenerator<Uint8Array, void>): Promise<Uint8Array> {
  for (;;) {
    const { value, done } = await chunks.next()
    if (done || !value) return new Uint8Array()
    if (value.length > 0) return value
  }
}

async function haveEqualEnds([a, from]: readonly [Source, number], [b, other]: readonly [Source, number]): Promise<boolean> {
  const length = a.size - from
  if (length !== b.size - other) return false
  for (let at = 0; at < length; at += WINDOW_BYTES) {
    const count = Math.min(WINDOW_BYTES, length - at)
    if (!equalBytes(await a.read(from + at, count), await b.read(other + at, count))) return false
  }
  return true
}
