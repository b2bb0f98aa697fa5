/** File names inside a ZIP: safe to unpack on every system, and distinct without regard to case. */

/** Longest name in bytes of UTF-8. Most file systems allow 255. */
const MAX_NAME_BYTES = 255
/** Characters that separate folders, that Windows forbids, or that are invisible. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*\u202A-\u202E\u2066-\u2069\u200E\u200F\uFEFF]/gu
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i
/** Extension, and that of the packed file inside, as in `.nii.gz`. */
const EXTENSION = /(\.[^.]{1,16})?\.(zst|br|gz|zip)$|\.[^.]{1,16}$/i

/** Returns a name that cannot leave the folder into which the ZIP is unpacked. */
export function safeName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(UNSAFE, '_')
    .replace(/[. ]+$/, '')
    .trimStart()
  if (clean === '') return 'file'
  return markedName(DEVICE.test(clean) ? `_${clean}` : clean, '')
}

/**
 * Returns safe names that differ without regard to case or Unicode composition. The second `photo.jpg` becomes `photo-2.jpg`.
 * @param reserved names that none of the returned ones equals
 */
export function zipNames(names: readonly string[], reserved: readonly string[] = []): string[] {
  const taken = new Set(reserved.map(comparable))
  /** Next number by name, so that a thousand equal names take a thousand steps. */
  const next = new Map<string, number>()
  return names.map((name) => {
    const safe = safeName(name)
    let found = safe
    for (let number = next.get(comparable(safe)) ?? 2; taken.has(comparable(found)); number++) {
      found = markedName(safe, `-${number}`)
      next.set(comparable(safe), number + 1)
    }
    taken.add(comparable(found))
    return found
  })
}

const comparable = (name: string) => name.normalize('NFC').toUpperCase()

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/**
 * Returns marks such as `-2` that make names differ without regard to case. `undefined`: the name differs already.
 * @param ignoresExtension true if the files may get the same extension later
 */
export function nameMarks(names: readonly string[], ignoresExtension: boolean): (string | undefined)[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const safe = safeName(name)
    const seen = ignoresExtension ? safe.replace(EXTENSION, '') : safe
    for (let number = 1; ; number++) {
      const mark = number === 1 ? undefined : `-${number}`
      const marked = comparable(mark === undefined ? seen : markedName(seen, mark))
      if (taken.has(marked)) continue
      taken.add(marked)
      return mark
    }
  })
}

/** Inserts `mark` before the extension, and cuts the name in front of it to `MAX_NAME_BYTES`. */
export function markedName(name: string, mark: string): string {
  const extension = EXTENSION.exec(name)?.[0] ?? ''
  const end = mark + extension
  const characters = [...name.slice(0, name.length - extension.length)]
  let left = MAX_NAME_BYTES - bytesOf(end)
  const fitting = characters.findIndex((character) => {
    left -= bytesOf(character)
    return left < 0
  })
  return (fitting < 0 ? characters : characters.slice(0, fitting)).join('') + end
}
