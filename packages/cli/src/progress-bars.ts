/** Progress bars at the bottom of a terminal, with lines that appear above them (control sequences of ECMA-48). */

const BAR_COLUMNS = 40
/** Minimum milliseconds between two frames. */
const FRAME_MS = 100
const [HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[?25l', '\x1b[?25h']
/** DECAWM: controls whether a line longer than the terminal continues on the next row. Bars are cut off, log lines are not. */
const [WRAP_ON, WRAP_OFF] = ['\x1b[?7h', '\x1b[?7l']
const ERASE_BELOW = '\x1b[J'

export interface Bar {
  /** Progress, 0–1. */
  readonly share: number
  /** Text after the bar and its percentage. */
  readonly text: string
}

export class ProgressBars {
  readonly #stream: NodeJS.WriteStream
  /** Bars by id, in display order. */
  readonly #bars = new Map<string, Bar>()
  /** Rows of the last frame. The cursor is in the first column below them. */
  #rows = 0
  #drawnMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  readonly #showCursor = () => void this.#stream.write(SHOW_CURSOR)

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream
    stream.write(HIDE_CURSOR)
    process.once('exit', this.#showCursor)
  }

  /** Adds a bar, or updates the bar with this id. */
  set(id: string, bar: Bar): void {
    this.#bars.set(id, bar)
    this.#drawSoon()
  }

  /** Removes a bar. It disappears with the next frame. */
  remove(id: string): void {
    this.#bars.delete(id)
  }

  /** Prints a line above the bars. */
  log(line: string): void {
    this.#draw(`${line}\n`)
  }

  /** Erases the bars and shows the cursor again. */
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

  /** Draws a frame in one write, so that nothing flickers. `above`: lines that remain above the bars. */
  #draw(above = ''): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#drawnMs = performance.now()
    const cursorUp = this.#rows > 0 ? `\x1b[${this.#rows}A` : ''
    // Rows that scroll off the top of the terminal could not be erased.
    const visible = [...this.#bars.values()].slice(0, Math.max(1, (this.#stream.rows || 24) - 1))
    this.#rows = visible.length
    this.#stream.write(`${cursorUp}${ERASE_BELOW}${above}${WRAP_OFF}${visible.map(rowOf).join('')}${WRAP_ON}`)
  }
}

function rowOf({ share, text }: Bar): string {
  const filled = Math.round(BAR_COLUMNS * share)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_COLUMNS - filled)} ${Math.floor(share * 100)}% ${text}\n`
}
