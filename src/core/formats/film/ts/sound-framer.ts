/** Frames of sound: each begins with a header that tells its length. */
import type { CutFrame, Framer } from './framer.ts'
import type { StreamBuffer } from './stream-buffer.ts'

/** What a header tells. */
export interface SoundHeader {
  /** Bytes of the frame with its header. */
  readonly bytes: number
  /** Bytes of the header that MP4 leaves out. */
  readonly skipped: number
  readonly samples: number
  readonly hertz: number
  readonly channels: number
  /** What must stay equal, because MP4 stores it once. */
  readonly facts: string
}

export interface SoundSyntax {
  readonly headerBytes: number
  /** Reads a header. `undefined`: the bytes are none. */
  read(bytes: Uint8Array): SoundHeader | undefined
}

export class SoundFramer implements Framer {
  broken = 0
  /** Header of the first frame. `undefined`: there was none. */
  first: SoundHeader | undefined
  readonly #syntax: SoundSyntax
  readonly #onChange: () => Error

  /** @param onChange error for a stream whose properties change */
  constructor(syntax: SoundSyntax, onChange: () => Error) {
    this.#syntax = syntax
    this.#onChange = onChange
  }

  cut(buffer: StreamBuffer, isLast: boolean, emit: (frame: CutFrame) => void): void {
    const { headerBytes } = this.#syntax
    let at = buffer.start
    while (at + headerBytes <= buffer.end) {
      const header = this.#syntax.read(buffer.view(at, at + headerBytes))
      const next = at + (header?.bytes ?? 0)
      if (header && next + (isLast ? 0 : headerBytes) > buffer.end) {
        if (!isLast) break
        at++
        this.broken++
        continue
      }
      // Where packets are missing, what follows a frame is no header.
      const hasNext = header && (next + headerBytes > buffer.end || this.#syntax.read(buffer.view(next, next + headerBytes)))
      if (!header || !hasNext) {
        at++
        this.broken++
        continue
      }
      this.first ??= header
      if (header.facts !== this.first.facts) throw this.#onChange()
      const { skipped, samples } = header
      const size = header.bytes - skipped
      emit({ at, from: at + skipped, stored: size, size, isKey: true, samples })
      at = next
    }
    if (isLast) {
      this.broken += buffer.end - at
      at = buffer.end
    }
    buffer.drop(at)
  }
}
