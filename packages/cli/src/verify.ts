/** Implements `whittle verify ORIGINAL RESULT [RECEIPT]`: decodes and compares both files, and verifies the receipt. Needs no service. */
import { readFileSync } from 'node:fs'
import type { VerifyReport } from '../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../src/core/audit/receipt.ts'
import type { InventoryKind } from '../../../src/core/catalog/inventory/kinds.ts'
import { counted } from '../../../src/core/i18n/counted.ts'
import { EN } from '../../../src/core/i18n/en.ts'
import { figuresView } from '../../../src/core/model/receipt.ts'
import { openThreads } from './threads.ts'
import { CliError } from './trouble.ts'

export interface VerifyFlags {
  json?: boolean
  /** File or URL of the service's public keys. */
  jwks?: string
}

const MARKS = { true: '✓', false: '✗', unchecked: '?' } as const

/** Prints the findings. @returns the exit code: 1 if a claim is false, 2 if a file cannot be read */
export async function verify([original, result, receipt]: readonly string[], { json, jwks }: VerifyFlags): Promise<number> {
  if (original === undefined || result === undefined) throw new CliError('usage', 'Usage: whittle verify ORIGINAL RESULT [RECEIPT]')
  const checked = await check(original, result, receipt, jwks)
  console.log(json ? JSON.stringify(asJson(checked)) : asText(checked))
  return isFalse(checked) ? 1 : 0
}

/** Verifies like `verify`, but returns the findings as an object. */
export const verifyFiles = async (original: string, result: string, receipt?: string): Promise<unknown> =>
  asJson(await check(original, result, receipt, undefined))

/** Compares the files in a thread, so that a damaged one ends the thread at most. @throws CliError if a file cannot be read */
async function check(original: string, result: string, receiptPath: string | undefined, jwks: string | undefined): Promise<VerifyReport> {
  const threads = openThreads(1)
  try {
    const receipt = receiptPath === undefined ? undefined : readFileSync(receiptPath, 'utf8')
    return await threads.run('verify', { original, result, receipt, keys: await loadKeys(jwks) })
  } catch (error) {
    throw new CliError('usage', error instanceof Error ? error.message : String(error))
  } finally {
    await threads.close()
  }
}

/**
 * Loads the public keys.
 * @param location a file, or an https URL (http for this machine only)
 * @throws Error if it is no JSON Web Key Set
 */
async function loadKeys(location: string | undefined): Promise<PublicKeys | undefined> {
  if (location === undefined) return undefined
  const isAddress = /^https?:\/\//.test(location)
  const response = isAddress ? await fetch(location) : undefined
  if (response && !response.ok) throw new Error(`${location} responded with HTTP ${response.status}`)
  const keys = (response ? await response.json() : JSON.parse(readFileSync(location, 'utf8'))) as PublicKeys
  if (!Array.isArray(keys.keys)) throw new Error(`${location} is not a JSON Web Key Set`)
  return keys
}

const isFalse = ({ findings }: VerifyReport) => findings.some(({ verdict }) => verdict === 'false')

function asJson(report: VerifyReport) {
  const { findings, format, output, fidelity, measured, inventory } = report
  const figures = figuresView(measured?.loss)
  return {
    holds: !isFalse(report),
    format,
    output,
    fidelity,
    measured: figures,
    unmeasured: measured?.unmeasured ?? [],
    ...inventory,
    findings,
  }
}

function asText(report: VerifyReport): string {
  const { findings, format, output, fidelity, measured, inventory } = report
  const figures = Object.entries(figuresView(measured?.loss)).map(([name, value]) => `${name} ${value}`)
  const lines = findings.map(({ field, verdict, detail }) => `${MARKS[verdict]} ${field}${detail === undefined ? '' : `: ${detail}`}`)
  const summary = format === undefined ? [] : [[`${format} → ${output ?? '?'}`, fidelity, ...figures].filter(Boolean).join(', ')]
  const notes = (measured?.unmeasured ?? []).map((why) => `? not measured: ${why}`)
  const unchecked = findings.some(({ verdict }) => verdict === 'unchecked') ? ', as far as it can be checked' : ''
  const counts = inventory ? [...countLines('removed', inventory.missing), ...countLines('kept', inventory.kept)] : []
  return [...summary, ...counts, ...lines, ...notes, isFalse(report) ? 'false' : `true${unchecked}`].join('\n')
}

/** Returns for example `kept: 24 ids, 3 links`. No line if nothing is counted. */
function countLines(verb: string, counts: { readonly [Kind in InventoryKind]?: number }): string[] {
  const words = (Object.entries(counts) as [InventoryKind, number][]).map(([kind, count]) => counted(count, EN[`kind_${kind}`]))
  return words.length > 0 ? [`${verb}: ${words.join(', ')}`] : []
}
