/** Exit codes: 0 success, 1 a file failed, 2 wrong arguments, 3 the service refused the key or cannot be reached, 130 interrupted. */
export const EXIT_CODES = { failed: 1, usage: 2, service: 3 } as const

/** Error that the CLI prints in one line, without a stack trace. */
export class CliError extends Error {
  override readonly name = 'Trouble'
  readonly exitCode: number
  constructor(kind: keyof typeof EXIT_CODES, message: string) {
    super(message)
    this.exitCode = EXIT_CODES[kind]
  }
}
