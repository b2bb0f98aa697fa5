/** Addresses on the command line: files that the service fetches, and where it sends results. */
import { InvalidArgumentError } from 'commander'
import type { BucketObject } from '../../clients/typescript/src/content.ts'
import type { CompressOptions } from '../../clients/typescript/src/types.ts'
import { CliError } from './trouble.ts'

/** True for an input that the service fetches itself: a web address, or an object in a bucket. */
export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path) || isBucketPlace(path)

const isBucketPlace = (text: string): boolean => /^(s3|azure):\/\//.test(text)

/**
 * Parses a place such as `s3://shop/photos/`: the name of a connection of the account, and a prefix.
 * @throws CliError
 */
export function placeOf(text: string): { connection: string; prefix: string } {
  const [, connection, prefix = ''] = /^(?:s3|azure):\/\/([a-z0-9][a-z0-9_-]{0,63})(?:\/(.*))?$/s.exec(text) ?? []
  if (connection === undefined) throw new CliError('usage', `expected s3://CONNECTION/PREFIX, got "${text}".`)
  return { connection, prefix }
}

/** Address of an object, as `fetchedInput` reads it. */
export const bucketAddress = ({ connection, key }: BucketObject): string => `s3://${connection}/${key}`

/** Input that the service fetches itself. @throws CliError for a bucket without a key */
export function fetchedInput(address: string): URL | BucketObject {
  if (!isBucketPlace(address)) return new URL(address)
  const { connection, prefix: key } = placeOf(address)
  if (key === '' || key.endsWith('/'))
    throw new CliError('usage', `expected s3://CONNECTION/KEY, got "${address}". For all objects of a prefix, use whittle sync.`)
  return { connection, key }
}

export interface DestinationFlags {
  /** Address that the service sends the result to, or a place in a bucket. */
  to?: string
  /** Place in a bucket, instead of `to`. */
  destination?: NonNullable<CompressOptions['destination']>
  /** Headers of that request, with the names that the user wrote. */
  toHeader?: Readonly<Record<string, string>>
}

/** Options of a request whose result is sent to an address. Empty without `--to`. */
export function destinationOptions({
  to,
  toHeader,
  destination,
}: DestinationFlags): Pick<CompressOptions, 'destination_url' | 'destination_headers' | 'destination'> {
  if (destination !== undefined) return { destination }
  if (to !== undefined && isBucketPlace(to)) return { destination: bucketDestination(to) }
  return {
    ...(to === undefined ? {} : { destination_url: to }),
    ...(toHeader === undefined ? {} : { destination_headers: { ...toHeader } }),
  }
}

/** A place that ends with `/` is a prefix, which the name of the result follows. Otherwise it is a whole key. */
function bucketDestination(to: string): NonNullable<CompressOptions['destination']> {
  const { connection, prefix } = placeOf(to)
  return prefix === '' || prefix.endsWith('/') ? { connection, prefix } : { connection, key: prefix }
}

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
  // Places are checked before anything is sent.
  for (const path of paths.filter(isBucketPlace)) fetchedInput(path)
  if (flags.to === undefined) return
  if (isBucketPlace(flags.to) && flags.toHeader !== undefined)
    throw new CliError('usage', '--to-header cannot be used with a bucket, whose headers the service sets.')
  destinationOptions(flags)
  if (paths.length !== 1)
    throw new CliError('usage', `--to needs one input, got ${paths.length}: each result would replace the one before it.`)
}
