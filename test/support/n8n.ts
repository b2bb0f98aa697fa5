/** Loads the n8n node as n8n does: packed, installed among packages, and loaded by the paths in its package.json. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

export const PACKAGE = resolve(import.meta.dirname, '../../packages/integrations/n8n')

interface Binary {
  readonly data: Buffer
  readonly fileName?: string
}

export interface Item {
  readonly json: Record<string, unknown>
  readonly binary?: Record<string, Binary>
}

export interface Node {
  readonly description: {
    readonly name: string
    readonly credentials: { name: string }[]
    readonly properties: { name: string; default: unknown }[]
  }
  execute(): Promise<(Item & { pairedItem: { item: number } })[][]>
}

export interface Credentials {
  readonly name: string
  readonly properties: { name: string }[]
}

/** Packs the node and installs it into `folder/node_modules`, which must contain `n8n-workflow`. */
export function installNode(folder: string): { node: Node; credentials: Credentials; files: string[] } {
  const installed = join(folder, 'node_modules/n8n-nodes-whittle')
  mkdirSync(installed, { recursive: true })
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE, stdio: 'pipe' })
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1'])
  const { n8n } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { n8n: { nodes: string[]; credentials: string[] } }
  const load = createRequire(join(installed, 'package.json'))
  // n8n loads the class with the name of the file.
  const { Whittle } = load(join(installed, n8n.nodes[0]!)) as { Whittle: new () => Node }
  const { WhittleApi } = load(join(installed, n8n.credentials[0]!)) as { WhittleApi: new () => Credentials }
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  const names = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name).slice(installed.length + 1))
  return { node: new Whittle(), credentials: new WhittleApi(), files: names.sort() }
}

/** Runs a node over items, as n8n does. */
export function execute(node: Node, items: readonly Item[], credentials: object, parameters: Record<string, unknown>, goOn = false) {
  const context = {
    getInputData: () => items,
    getCredentials: async (name: string) => (name === node.description.credentials[0]?.name ? credentials : undefined),
    getNodeParameter: (name: string) => parameters[name] ?? node.description.properties.find((property) => property.name === name)?.default,
    getNode: () => ({ name: 'Whittle', type: 'whittle' }),
    getExecutionCancelSignal: () => undefined,
    continueOnFail: () => goOn,
    helpers: {
      assertBinaryData: (index: number, field: string) => {
        const binary = items[index]?.binary?.[field]
        if (!binary) throw new Error(`item ${index} has no file '${field}'`)
        return binary
      },
      getBinaryDataBuffer: async (index: number, field: string) => items[index]!.binary![field]!.data,
      prepareBinaryData: async (data: Buffer, fileName: string) => ({ data, fileName }),
    },
  }
  return node.execute.call(context as never)
}

export const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex')
