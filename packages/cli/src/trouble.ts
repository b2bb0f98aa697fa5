/** Exit codes: 0 all well, 1 some file failed, 2 wrong use, 3 the service cannot be reached or refuses the key, 130 interrupted. */
export const EXIT_CODES = { failed: 1, usage: 2, service: 3 } as const

/** Trouble that is told in one line, without a stack. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  readonly exitCode: number
  constructor(kind: keyof typeof EXIT_CODES, message: string) {
    super(message)
    this.exitCode = EXIT_CODES[kind]
  }
}
