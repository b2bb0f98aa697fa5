/** Decodes what was stored and compares it with the upload: samples or figures, frames, chunks. */

import { createHash } from 'node:crypto'
import { PngEngine } from '../../../wasm/png/engine.ts'
import { pngRows } from '../../../wasm/png/png.ts'
import { discard } from '../../bytes/discard.ts'
import type { Options, Outcome, Source, Verdict } from '../../codec/codec.ts'
import { LikenessMeter } from '../../quality/metrics.ts'
import { carried } from './chunks.ts'
import { openPngFile, type PngFile, streamOf } from './file.ts'

const differ = (difference: string): Verdict => ({ equal: false, difference })

export async function verifyPng(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const before = await openPngFile(original, options)
  const after = await openPngFile(result, options)
  const around = compareAround(before, after)
  if (around) return differ(around)
  if (outcome.kind === 'compressed' && outcome.fidelity === 'perceptual') {
    return comparePictures(original, result, before, { ssim: outcome.ssim ?? 0, psnrDb: outcome.psnrDb ?? 0 }, options)
  }
  return (await digestOf(before)) === (await digestOf(after)) ? { equal: true } : differ('samples differ')
}

/** Size, frames and chunks; undefined when they agree. */
function compareAround(before: PngFile, after: PngFile): string | undefined {
  const [a, b] = [before.header, after.header]
  if (a.width !== b.width || a.height !== b.height) return `${a.width} x ${a.height} became ${b.width} x ${b.height}`
  if (before.frames !== after.frames) return `${before.frames} frames became ${after.frames}`
  const left = new Map<string, { type: string; times: number }>()
  for (const item of after.items) {
    if (!('type' in item)) continue
    const known = left.get(nameOf(item))
    if (known) known.times++
    else left.set(nameOf(item), { type: item.type, times: 1 })
  }
  for (const item of before.items) {
    if (!('type' in item)) continue
    const data = carried(item, before.header, after.header)
    if (!data) continue
    const name = nameOf({ type: item.type, data })
    const found = left.get(name)
    if (!found) return `${item.type} of byte ${item.offset} is lost or changed`
    if (--found.times === 0) left.delete(name)
  }
  for (const { type } of left.values()) return `${type} was not in the upload`
  return undefined
}

/** The same for the same chunks: to look each up among all others would take the square of their number. */
function nameOf({ type, data }: { readonly type: string; readonly data: Uint8Array }): string {
  // The first four bytes of fcTL are a sequence number, which may change.
  const content = type === 'fcTL' ? data.subarray(4) : data
  return `${type} ${createHash('sha256').update(content).digest('base64')}`
}

async function digestOf(file: PngFile): Promise<bigint> {
  using engine = new PngEngine(file.header)
  engine.begin('digest')
  await file.visit(engine)
  return engine.digest()
}

/** Both decoded side by side and measured; the claim may not be better than what is found. */
async function comparePictures(
  original: Source,
  result: Source,
  { header }: PngFile,
  claim: { ssim: number; psnrDb: number },
  options: Options,
): Promise<Verdict> {
  using meter = new LikenessMeter(header.width, header.height, 4)
  const rowBytes = header.width * 4
  const sides = [original, result].map((source) => pngRows(streamOf(source, options), 'rgba8')[Symbol.asyncIterator]())
  let rest: Uint8Array[] = sides.map(() => new Uint8Array())
  for (let rows = 0; rows < header.height; ) {
    rest = await Promise.all(
      rest.map(async (bytes, i) => {
        if (bytes.length) return bytes
        const next = await sides[i]?.next()
        return next && !next.done ? next.value.rows : new Uint8Array()
      }),
    )
    const ready = Math.min(...rest.map(({ length }) => length))
    if (ready === 0) return differ(`only ${rows} of ${header.height} rows`)
    const [a, b] = rest.map((bytes) => bytes.subarray(0, ready))
    if (a && b) meter.push(a, b)
    rest = rest.map((bytes) => {
      if (bytes.length > ready) return bytes.subarray(ready)
      discard(new Uint8Array(bytes.buffer))
      return new Uint8Array()
    })
    rows += ready / rowBytes
  }
  for (const side of sides) await side.return?.(undefined)
  const found = meter.finish()
  if (claim.ssim > found.ssim + 0.002 || claim.psnrDb > found.psnrDb + 0.1) {
    return differ(`claimed ${claim.ssim} and ${claim.psnrDb} dB, found ${found.ssim} and ${found.psnrDb} dB`)
  }
  return { equal: true }
}
