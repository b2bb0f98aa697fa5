import type { StreamBuffer } from './stream-buffer.ts'

/** Frame that has been cut off a stream. */
export interface CutFrame {
  /** Position of its first byte in the stream, and where its stored bytes begin. */
  readonly at: number
  readonly from: number
  /** Bytes in the stream from `from` on. */
  readonly stored: number
  /** Bytes as a sample of MP4. */
  readonly size: number
  readonly isKey: boolean
  /** Samples of sound. 0: pictures. */
  readonly samples: number
}

/** Cuts a stream into frames. */
export interface Framer {
  /** Bytes that belong to no whole frame. */
  readonly broken: number
  /** Cuts whole frames off the start of the buffer. `isLast`: nothing follows. */
  cut(buffer: StreamBuffer, isLast: boolean, emit: (frame: CutFrame) => void): void
}
