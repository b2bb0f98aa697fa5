/** Streams of R2 objects for clients, read in ranges as the client reads. */

/**
 * Bytes of one read. R2 streams have back-pressure on Cloudflare, so a large range costs no memory. Miniflare reads a range to its end,
 * however slowly the client reads; `npm start` sets smaller ranges (`DOWNLOAD_RANGE_BYTES`).
 */
const RANGE_BYTES = 8 * 1024 * 1024

export interface BlobRange {
  readonly offset: number
  /** Bytes of the stream. */
  readonly length: number
  /** Bytes of one read. Default: `RANGE_BYTES`. */
  readonly rangeBytes?: number | undefined
  /** Runs the transfer of each range after the first when it is its turn. Default: at once. */
  readonly inTurn?: (transfer: () => Promise<void>) => Promise<void>
  /** Lets the reads go on while the client receives them. Default: reads belong to the request or object that called. */
  readonly keepAlive?: (work: Promise<unknown>) => void
}

/** Streams a part of an R2 object. At most one range is read ahead of the client. `undefined`: the object does not exist. */
export async function rangedStream(bucket: R2Bucket, key: string, range: BlobRange): Promise<ReadableStream<Uint8Array> | undefined> {
  const { offset, length, rangeBytes = RANGE_BYTES, inTurn = (transfer) => transfer(), keepAlive = () => undefined } = range
  const first = await bucket.get(key, { range: { offset, length: Math.min(length, rangeBytes) } })
  if (!first || length <= rangeBytes) return first?.body
  const { readable, writable } = new FixedLengthStream(length)
  const pump = async () => {
    await first.body.pipeTo(writable, { preventClose: true })
    for (let sent = rangeBytes; sent < length; sent += rangeBytes) {
      await inTurn(async () => {
        const next = await bucket.get(key, { range: { offset: offset + sent, length: Math.min(length - sent, rangeBytes) } })
        if (!next) throw new Error(`The blob ${key} was deleted while it was read.`)
        await next.body.pipeTo(writable, { preventClose: true })
      })
    }
    await writable.close()
  }
  // A failure ends the response before its announced length, so the client notices. If the client left, nobody needs the error.
  keepAlive(pump().catch((error: unknown) => writable.abort(error).catch(() => undefined)))
  return readable
}
