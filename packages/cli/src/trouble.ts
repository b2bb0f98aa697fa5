/** Exit codes and their meaning, for the manual page. */
export const EXIT_STATUS = [
  [0, 'every file was processed'],
  [1, 'at least one file failed; verify: something is false'],
  [2, 'wrong arguments; verify: a file cannot be read'],
  [3, 'the service refused the key or cannot be reached'],
  [130, 'interrupted'],
] as const

/** Exit codes of errors. */
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
