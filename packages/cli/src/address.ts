/** Addresses on the command line: files that the service fetches, and where it sends results. */
import { InvalidArgumentError } from 'commander'
import type { CompressOptions } from '../../clients/typescript/src/types.ts'
import { CliError } from './trouble.ts'

/** True for an input that the service fetches itself. */
export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path)

export interface DestinationFlags {
  /** Address that the service sends the result to. */
  to?: string
  /** Headers of that request, with the names that the user wrote. */
  toHeader?: Readonly<Record<string, string>>
}

/** Options of a request whose result is sent to an address. Empty without `--to`. */
export const destinationOptions = ({
  to,
  toHeader,
}: DestinationFlags): Pick<CompressOptions, 'destination_url' | 'destination_headers'> => ({
  ...(to === undefined ? {} : { destination_url: to }),
  ...(toHeader === undefined ? {} : { destination_headers: { ...toHeader } }),
})

/** Adds one `--to-header 'Name: value'` to those before it. */
export function parseHeader(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([\w-]+):\s*(\S.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError(`expected 'Name: value', got "${text}".`)
  return { ...before, [name]: value.trimEnd() }
}

/** @throws CliError for combinations that make no sense */
export function checkAddresses(paths: readonly string[], flags: DestinationFlags & { inPlace?: boolean }): void {
  if (flags.inPlace && paths.some(isAddress))
    throw new CliError('usage', '--in-place cannot be used with an address, because there is no file to replace.')
  if (flags.toHeader !== undefined && flags.to === undefined) throw new CliError('usage', '--to-header needs --to.')
  if (flags.to === undefined) return
  if (paths.length !== 1)
    throw new CliError('usage', `--to needs one input, got ${paths.length}: each result would replace the one before it.`)
}
