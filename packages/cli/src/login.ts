/** `whittle login`: asks for a key once, tries it, and keeps it. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Client } from './client.ts'
import { configPath, forget, remember, serverAt } from './config.ts'
import { Trouble } from './trouble.ts'

/** @throws Trouble where the service does not take the key; then nothing is kept */
export async function login(url: string | undefined, flags: { server?: string; key?: string }): Promise<void> {
  const baseUrl = url || flags.server || process.env['WHITTLE_SERVER'] || (await ask('Service (https://…): '))
  const key = flags.key || (await ask('Key (whl_…): ', true))
  if (key === '') throw new Trouble('usage', 'There is no key: give it on standard input, or with --key.')
  const server = serverAt(baseUrl, key)
  const { plan } = await new Client(server).usage()
  remember(server)
  console.log(`Signed in at ${server.baseUrl} (plan ${plan}); the key is kept in ${configPath()}.`)
}

export function logout(): void {
  console.log(forget() ? `Forgotten: ${configPath()}` : 'There was nothing to forget.')
}

/** A line from the terminal, or the next one of a pipe. What is secret is not echoed. */
async function ask(question: string, secret = false): Promise<string> {
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write(question)
  const output = secret || !isTerminal ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: isTerminal })
  try {
    for await (const line of lines) return line.trim()
    return ''
  } finally {
    lines.close()
    if (isTerminal && secret) process.stderr.write('\n')
  }
}
