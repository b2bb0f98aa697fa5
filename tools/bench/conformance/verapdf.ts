/** Runs veraPDF: the command in VERAPDF, the installed one, or the Greenfield command line, which Maven downloads once. */
import { spawnSync } from 'node:child_process'
import { jarOf } from './maven.ts'

const SHA256 = '687d4d8bcfec48c9f7e931cf78ed061f1eeccfba55d4cdc000ba9b4d8aa46ce6'
const ARTIFACT = 'org.verapdf.apps:greenfield-apps:1.28.2'
const MAIN = 'org.verapdf.apps.GreenfieldCliWrapper'

/** A command and its first arguments. */
export type Command = readonly [string, ...string[]]

/** Returns the command of veraPDF, or why it cannot run. */
export function findVeraPdf(): { command: Command } | { missing: string } {
  const named = process.env['VERAPDF'] ?? 'verapdf'
  if (runs(named, '--version')) return { command: [named] }
  if (process.env['VERAPDF']) return { missing: `the command '${named}' from the variable VERAPDF does not run` }
  if (!runs('java', '-version')) return { missing: 'neither veraPDF nor Java is installed' }
  const found = jarOf(ARTIFACT, SHA256)
  return 'missing' in found ? found : { command: ['java', '-cp', found.jar, MAIN] }
}

const runs = (command: string, option: string) => spawnSync(command, [option], { stdio: 'ignore' }).status === 0

/** Broken rules by claimed part of PDF/A or PDF/UA. An empty list means that the file is valid. */
export type Judgement = Map<string, string[]>

const FILES_A_CALL = 500
const REPORT_BYTES = 256 * 1024 * 1024

/** Validates files by the parts that they claim, or by PDF/A-1b if they claim none. A file that veraPDF cannot read has no result. */
export function judge([command, ...first]: Command, files: readonly string[]): Map<string, Judgement> {
  const judged = new Map<string, Judgement>(files.map((file) => [file, new Map()]))
  for (let at = 0; at < files.length; at += FILES_A_CALL) {
    const options = ['--format', 'text', '-v', '--loglevel', '0', ...files.slice(at, at + FILES_A_CALL)]
    const { stdout, error } = spawnSync(command, [...first, ...options], { encoding: 'utf8', maxBuffer: REPORT_BYTES })
    if (error) throw error
    collect(stdout, judged)
  }
  return judged
}

/** Parses lines `PASS file part` and `FAIL file part`. After the latter, each broken rule has a line `  FAIL rule`. */
function collect(report: string, judged: Map<string, Judgement>): void {
  let broken: string[] = []
  for (const line of report.split('\n')) {
    const [, file, part] = /^(?:PASS|FAIL) (.+) (\S+)$/.exec(line) ?? []
    if (file && part) {
      broken = []
      judged.get(file)?.set(part, broken)
    } else if (line.startsWith('  FAIL ')) broken.push(line.slice('  FAIL '.length))
  }
}
