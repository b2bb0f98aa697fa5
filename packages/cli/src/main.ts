/** Runs the command line. */
import { CommanderError } from 'commander'
import { programWith } from './program.ts'
import { CliError } from './trouble.ts'

/** Runs the command line. @returns the exit code */
export async function main(argv: readonly string[]): Promise<number> {
  let exitCode = 0
  const program = programWith((code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(argv as string[])
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof CliError) {
      console.error(error.message)
      return error.exitCode
    }
    throw error
  }
}
