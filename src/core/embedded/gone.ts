/** What went from files inside of a file, for the receipt of the outer one. */

/** A step of an inner receipt that says what is no longer there. */
const GONE = /not kept|left out|dropped|removed|merged|without unused/

/** Different lines that are named; the others are counted. */
const MOST_LINES = 12

export const goneFrom = (steps: readonly string[]): readonly string[] => steps.filter((step) => GONE.test(step))

/** Lines of inner receipts that say what went, each with the number of files that say so. */
export class Gone {
  readonly #files = new Map<string, number>()

  add(lines: readonly string[] = []): void {
    for (const line of new Set(lines)) this.#files.set(line, (this.#files.get(line) ?? 0) + 1)
  }

  steps(): string[] {
    const lines = [...this.#files].map(([line, files]) => `in ${files === 1 ? '1 file' : `${files} files`} inside: ${line}`)
    const more = lines.length - MOST_LINES
    return more > 0 ? [...lines.slice(0, MOST_LINES), `${more} more such lines of files inside left out of this list`] : lines
  }
}
