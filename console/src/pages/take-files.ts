/** Starts files with the chosen options, or holds them while the options are open. */
import type { Me } from '../api.ts'
import { begin } from '../attempts.ts'
import { bytes, t } from '../language.ts'
import { changeWishes, currentWishes, fieldsOf } from '../wishes.ts'

export function takeFiles(files: readonly File[], me: Me): void {
  if (files.length === 0) return
  const { isOpen, held } = currentWishes()
  if (isOpen) changeWishes({ held: [...held, ...files] })
  else start(files, me)
}

export function startHeld(me: Me): void {
  const { held } = currentWishes()
  start(held, me)
  changeWishes({ held: [] })
}

function start(files: readonly File[], me: Me): void {
  const limit = me.limits?.max_file_bytes
  const tooLarge = t('This file is too large: your plan allows {limit} per file.', { limit: bytes(limit ?? 0) })
  begin(files, fieldsOf(currentWishes()), limit, tooLarge)
  location.hash = '#compress'
}
