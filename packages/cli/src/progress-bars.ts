/** Progress bars at the bottom of a terminal, with lines that appear above them (control sequences of ECMA-48). */

const BAR_COLUMNS = 40
/** Most often that the bars are drawn, in milliseconds. */
const FRAME_MS = 100
const [HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[?25l', '\x1b[?25h']
/** DECAWM: whether a line that reaches the terminal's edge continues on the next row. Bars are cut at the edge, lines are not. */
const [WRAP_ON, WRAP_OFF] = ['\x1b[?7h', '\x1b[?7l']
const ERASE_BELOW = '\x1b[J'

export interface Bar {
  /** From 0 to 1. */
  readonly share: number
  /** Follows the bar and its percentage. */
  readonly text: string
}

export class ProgressBars {
  readonly #stream: NodeJS.WriteStream
  /** In the order in which they are shown. */
  readonly #bars = new Map<string, Bar>()
  /** Rows that the last frame takes; the cursor is in the first column below them. */
  #rows = 0
  #drawnMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  readonly #showCursor = () => void this.#stream.write(SHOW_CURSOR)

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    stream.write(HIDE_CURSOR)
    process.once('exit', this.#showCursor)
  }

  /** Shows a bar, or changes the one with this id. */
  set(id: string, bar: Bar): void {
    this.#bars.set(id, bar)
    this.#drawSoon()
  }

  /** Removes a bar. It disappears with the next frame. */
  remove(id: string): void {
    this.#bars.delete(id)
  }

  /** Prints a line above the bars, and draws them again at once. */
  log(line: string): void {
    this.#draw(`${line}\n`)
  }

  /** Erases the bars and gives the terminal back. */
  stop(): void {
    this.#bars.clear()
    this.#draw()
    process.off('exit', this.#showCursor)
    this.#showCursor()
  }

  #drawSoon(): void {
    const waitMs = this.#drawnMs + FRAME_MS - performance.now()
    if (waitMs <= 0) this.#draw()
    else this.#timer ??= setTimeout(() => this.#draw(), waitMs)
  }

  /** One write a frame, so that nothing flickers. `above`: lines that stay above the bars. */
  #draw(above = ''): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drawnMs = performance.now()
    const back = this.#rows > 0 ? `\x1b[${this.#rows}A` : ''
    // More bars than rows could not be erased again.
    const shown = [...this.#bars.values()].slice(0, Math.max(1, (this.#stream.rows || 24) - 1))
    this.#rows = shown.length
    this.#stream.write(`${back}${ERASE_BELOW}${above}${WRAP_OFF}${shown.map(rowOf).join('')}${WRAP_ON}`)
  }
}

function rowOf({ share, text }: Bar): string {
  const filled = Math.round(BAR_COLUMNS * share)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)} ${Math.floor(share * 100)}% ${text}\n`
}
