/** Mutates mails line by line: header fields, boundaries and parts. */
import { fromLatin1, latin1, withDamage, withOne, withRearrangedItems } from '../edits.ts'
import type { Random } from '../random.ts'
import type { Mutator } from './mutator.ts'

const LINES = [
  'Content-Transfer-Encoding: base64',
  'Content-Transfer-Encoding: quoted-printable',
  'Content-Transfer-Encoding: 8bit',
  'Content-Transfer-Encoding: x-uuencode',
  'Content-Type: multipart/mixed; boundary="=_b"',
  'Content-Type: multipart/signed; boundary="=_b"; protocol="application/pkcs7-signature"',
  'Content-Type: message/rfc822',
  'Content-Type: image/jpeg; name="=?utf-8?q?=41?="',
  'Content-Disposition: attachment; filename*0="a"; filename*1=".jpg"',
  '--=_b',
  '--=_b--',
  '--',
  '',
  ' folded',
  '====',
  'begin 644 a.jpg',
]

function changedLine(line: string, random: Random): string {
  switch (random.below(5)) {
    case 0:
      return `${line} `
    case 1:
      return line.slice(random.below(line.length))
    case 2:
      return line.replace(/[A-Za-z0-9+/]/, random.pick(['=', '!', '\0', '\xff', '\r', ' ']))
    case 3:
      return line + line
    default:
      return latin1(withDamage(fromLatin1(line), random))
  }
}

function mutate(file: Uint8Array, random: Random): Uint8Array {
  const text = latin1(file)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(newline)
  const headers = lines.indexOf('')
  const near = random.chance(0.5) ? random.below(headers + 4) : random.below(lines.length)
  const join = (made: readonly string[]) => fromLatin1(made.join(random.chance(0.05) ? random.pick(['\n', '\r', '\r\n']) : newline))
  switch (random.below(5)) {
    case 0:
      return join(withRearrangedItems(lines, random))
    case 1:
      return join(lines.toSpliced(near, random.below(2), random.pick(LINES)))
    case 2: {
      // Inserts nested parts.
      const depth = random.pick([2, 40])
      return join(lines.toSpliced(near, 0, ...Array.from({ length: depth }, () => ['--=_b', LINES[4]!, '']).flat()))
    }
    case 3:
      return join(lines.with(near, changedLine(lines[near] ?? '', random)))
    default:
      return join(withOne(lines, random, (line) => changedLine(line, random)))
  }
}

export const MIME_MUTATOR: Mutator = { container: 'MIME', formats: ['eml'], mutate }
