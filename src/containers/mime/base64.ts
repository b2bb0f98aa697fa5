/** Base64 bodies (RFC 2045, 6.8), decoded and written again in the same lines. */

export interface Base64Body {
  readonly bytes: Uint8Array
  /** Characters a line, its line break, and what follows the last character. */
  readonly lineLength: number
  readonly lineBreak: string
  readonly tail: string
}

/** Undefined for what is not clean base64 in lines of one length: it could not be written again as it was. */
export function readBase64(body: Uint8Array): Base64Body | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  const firstBreak = /\r?\n/.exec(text)
  const lineBreak = firstBreak?.[0] ?? '\r\n'
  const lineLength = firstBreak ? firstBreak.index : text.length
  if (lineLength === 0 || lineLength % 4 !== 0) return undefined
  const packed = text.replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed) || packed.length % 4 !== 0) return undefined
  const bytes = new Uint8Array(Buffer.from(packed, 'base64'))
  const tail = /[\r\n\t ]*$/.exec(text)![0]
  const shape = { bytes, lineLength, lineBreak, tail }
  return writeBase64(shape, bytes) === text ? shape : undefined
}

/** `bytes` in the lines of `shape`. */
export function writeBase64({ lineLength, lineBreak, tail }: Omit<Base64Body, 'bytes'>, bytes: Uint8Array): string {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const lines: string[] = []
  for (let at = 0; at < packed.length; at += lineLength) lines.push(packed.slice(at, at + lineLength))
  return lines.join(lineBreak) + tail
}
