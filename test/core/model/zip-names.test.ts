/** Names inside a ZIP: what would leave its folder, what Windows refuses, and doubles. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeName, zipNames } from '../../../src/core/model/zip-names.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text).length

describe('safeName', () => {
  it.each([
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['..', 'file'],
    ['', 'file'],
    ['a\\b.txt', 'a_b.txt'],
    ['C:\\x', 'C__x'],
    ['nul.txt', '_nul.txt'],
    ['COM1', '_COM1'],
    ['ends. . ', 'ends'],
    ['a\u202Etxt.exe', 'a_txt.exe'],
    ['Übergröße – 契約 🎉.txt', 'Übergröße – 契約 🎉.txt'],
  ])('makes %j safe', (name, expected) => expect(safeName(name)).toBe(expected))

  it('cuts a name of 1,024 bytes and keeps its extension', () => {
    const name = safeName(`${'契'.repeat(340)}.jpeg`)
    expect(name).toMatch(/^契+\.jpeg$/)
    expect(bytesOf(name)).toBeLessThanOrEqual(255)
  })
})

describe('zipNames', () => {
  it('numbers doubles without regard to case or composition', () => {
    expect(zipNames(['a.txt', 'A.TXT', 'a-2.txt', 'é.png', 'e\u0301.png', 'a.txt'])).toEqual([
      'a.txt',
      'A-2.TXT',
      'a-2-2.txt',
      'é.png',
      'e\u0301-2.png',
      'a-3.txt',
    ])
  })

  it('numbers a packed file before both of its extensions', () => {
    expect(zipNames(['a.txt.zst', 'a.txt.zst', 'scan.nii.gz', 'scan.nii.gz', 'v1.2.jpg', 'v1.2.jpg'])).toEqual([
      ...['a.txt.zst', 'a-2.txt.zst', 'scan.nii.gz', 'scan-2.nii.gz', 'v1.2.jpg', 'v1.2-2.jpg'],
    ])
  })

  it('never uses a reserved name', () => expect(zipNames(['_RECEIPTS.json'], ['_receipts.json'])).toEqual(['_RECEIPTS-2.json']))

  it('returns distinct names of one folder for any names', () => {
    const part = fc.constantFrom('a', 'A', '.', '..', '/', '\\', ' ', '-2', '.txt', '契', '\u0000', 'nul', '\ud800', 'x'.repeat(300))
    fc.assert(
      fc.property(
        fc.array(
          fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
          { maxLength: 30 },
        ),
        (names) => {
          const made = zipNames(names)
          expect(made).toHaveLength(names.length)
          expect(new Set(made.map((name) => name.normalize('NFC').toUpperCase())).size).toBe(names.length)
          for (const name of made) {
            expect(bytesOf(name)).toBeLessThanOrEqual(255)
            // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters must not remain
            expect(name).not.toMatch(/[/\\\u0000]|^\.{1,2}$|[. ]$/)
            expect(name.isWellFormed()).toBe(true)
          }
        },
      ),
    )
  })
})
