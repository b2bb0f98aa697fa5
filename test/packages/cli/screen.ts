// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal is steered by control characters
const SEQUENCE = /\u001b\[([?\d;]*)[A-Za-z]|[\s\S]/gu

/** A minimal terminal emulator for progress bars and lines: computes the visible text. */
export class Screen {
  readonly #rows: string[] = ['']
  readonly #columns: number
  #row = 0
  #column = 0
  #wraps = true

  constructor(columns: number) {
    this.#columns = columns
  }

  get text(): string {
    return this.#rows.map((row) => row.trimEnd()).join('\n')
  }

  write(text: string): void {
    for (const [piece] of text.matchAll(SEQUENCE)) {
      if (piece.length > 2 && piece.startsWith('\x1b')) this.#control(piece.slice(2, -1), piece.at(-1)!)
      else if (piece === '\n') this.#goTo(this.#row + 1, 0)
      else if (piece === '\r') this.#column = 0
      else this.#put(piece)
    }
  }

  #put(character: string): void {
    if (this.#column === this.#columns) {
      if (this.#wraps) this.#goTo(this.#row + 1, 0)
      else this.#column--
    }
    const row = [...this.#rows[this.#row]!.padEnd(this.#column)]
    row[this.#column++] = character
    this.#rows[this.#row] = row.join('')
  }

  #control(parameter: string, final: string): void {
    const count = Number(parameter || 1)
    if (final === 'A') this.#goTo(Math.max(0, this.#row - count), this.#column)
    else if (final === 'G') this.#column = count - 1
    else if (final === 'K') this.#rows[this.#row] = parameter === '2' ? '' : this.#rows[this.#row]!.slice(0, this.#column)
    else if (final === 'J') this.#rows.splice(this.#row, Infinity, this.#rows[this.#row]!.slice(0, this.#column))
    else if (parameter === '?7') this.#wraps = final === 'h'
    else if (parameter !== '?25' && final !== 'm') throw new Error(`this terminal does not know ESC [ ${parameter} ${final}`)
  }

  #goTo(row: number, column: number): void {
    while (this.#rows.length <= row) this.#rows.push('')
    this.#row = row
    this.#column = column
  }
}
