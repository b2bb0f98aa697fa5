/** What `npm start` prints when the service is ready. */

export interface Welcome {
  /** Origin that clients use: `http://localhost:PORT`, or the public URL. */
  readonly origin: string
  readonly key: string
  /** File with all keys of the development account. */
  readonly keysFile: string
  /** One-time link that creates a passkey. `undefined`: none was asked for. */
  readonly invitation: string | undefined
  /** Path of a photograph, for the first command. */
  readonly sample: string
}

/** Text with one address to open, and commands that work when they are pasted. */
export function welcomeText({ origin, key, keysFile, invitation, sample }: Welcome): string {
  const header = `-H 'Authorization: Bearer ${key}'`
  return `
Whittle is ready: open ${origin}/

  documentation   ${origin}/docs
  console         ${invitation ?? `${origin}/console   (for a new invitation, start with --invite)`}
  key             ${key}   (others: ${keysFile})

Compress a photo, then see your usage:

  curl ${header} -F file=@${sample} -F response=file -o smaller.jpg ${origin}/v1/compress
  curl ${header} ${origin}/v1/usage

Press Ctrl-C to stop.`
}
