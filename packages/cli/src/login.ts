/** Implements `whittle login`: asks for a key, tests it and saves it. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Client } from './client.ts'
import { configPath, deleteSavedServer, parseServer, saveServer } from './config.ts'
import { CliError } from './trouble.ts'

/**
 * Saves address and key after a successful request.
 * @throws Trouble if the service refuses the key; nothing is saved then
 */
export async function login(url: string | undefined, flags: { server?: string; key?: string }): Promise<void> {
  const baseUrl = url || flags.server || process.env['WHITTLE_SERVER'] || (await prompt('Service (https://…): '))
  const key = flags.key || (await prompt('Key (whl_…): ', true))
  if (key === '') throw new CliError('usage', 'No API key given. Enter it on standard input, or pass --key.')
  const server = parseServer(baseUrl, key)
  const { plan } = await new Client(server).usage()
  saveServer(server)
  console.log(`Signed in to ${server.baseUrl} (plan ${plan}). The key is saved in ${configPath()}.`)
}

export function logout(): void {
  console.log(deleteSavedServer() ? `Deleted ${configPath()}` : 'No saved key found.')
}

/** Reads one line from the terminal or pipe. A secret is not echoed. */
async function prompt(question: string, secret = false): Promise<string> {
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
