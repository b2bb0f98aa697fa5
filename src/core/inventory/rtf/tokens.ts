/** Splits RTF into tokens (RTF 1.9.1, "RTF Syntax"), in pieces of any size. */
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'

export interface RtfHandler {
  open(): void
  close(): void
  /** Control word. `number`: its parameter; `undefined`: none. */
  word(name: string, number: number | undefined): void
  /** Control symbol: one character that is no letter. */
  symbol(character: string): void
  /** Text without line breaks, or the character of `\'hh`. */
  text(text: string): void
  /** Data of `\bin`, in pieces. */
  binary(bytes: Uint8Array): void
}

/** Characters that are kept back at the end of a piece, so that no token is cut. */
const MAX_TOKEN_CHARACTERS = 64
const TOKEN = /\\([a-zA-Z]+)(-?\d+)? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+|\\$/y

export class RtfTokens {
  readonly #handler: RtfHandler
  #rest = ''
  #skipped = 0

  constructor(handler: RtfHandler) {
    this.#handler = handler
  }

  push(bytes: Uint8Array): void {
    this.#take(this.#rest + latin1Of(bytes), false)
  }

  finish(): void {
    this.#take(this.#rest, true)
  }

  #take(text: string, isLast: boolean): void {
    let at = 0
    while (at < text.length) {
      if (this.#skipped > 0) {
        const length = Math.min(this.#skipped, text.length - at)
        this.#skipped -= length
        this.#handler.binary(latin1Bytes(text.slice(at, at + length)))
        at += length
        continue
      }
      if (!isLast && text.length - at < MAX_TOKEN_CHARACTERS) break
      TOKEN.lastIndex = at
      const found = TOKEN.exec(text)
      if (!found) break
      at += found[0].length
      this.#emit(found)
    }
    this.#rest = text.slice(at)
  }

  #emit([, name, number, code, symbol, brace, text]: RegExpExecArray): void {
    if (name === 'bin') this.#skipped = Math.max(0, Number(number ?? 0))
    if (name !== undefined) this.#handler.word(name, number === undefined ? undefined : Number(number))
    else if (code !== undefined) this.#handler.text(String.fromCharCode(Number.parseInt(code, 16)))
    else if (symbol !== undefined) this.#handler.symbol(symbol)
    else if (brace === '{') this.#handler.open()
    else if (brace === '}') this.#handler.close()
    else if (text !== undefined) this.#handler.text(text)
  }
}
