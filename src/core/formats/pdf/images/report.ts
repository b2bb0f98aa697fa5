/** Counts how the pictures of a document were recompressed. */
import { type Message, message } from '../../../i18n/message.ts'
import type { PictureLoss } from '../../../model/loss.ts'

export interface ImageReport {
  /** Loss of the worst picture. `undefined`: nothing was lost. */
  worst: PictureLoss | undefined
  recoded: number
  reduced: number
  exact: number
  /** Number of pictures stored with a palette or fewer bits per pixel, without loss. */
  packed: number
  /** Number of drawings whose colours were reduced. */
  palettes: number
}

export const emptyReport = (): ImageReport => ({ worst: undefined, recoded: 0, reduced: 0, exact: 0, packed: 0, palettes: 0 })

/** Receipt steps that report how many images were recompressed. */
export function imageSteps({ exact, packed, palettes, recoded, reduced }: ImageReport): Message[] {
  const steps: Message[] = []
  if (exact > 0) steps.push(message('images_coded_more_tightly', { images: exact }))
  if (packed > 0) steps.push(message('images_with_own_palette', { images: packed }))
  if (palettes > 0) steps.push(message('images_with_fewer_colours', { images: palettes }))
  if (recoded > 0) steps.push(message('images_as_jpeg', { images: recoded }))
  if (reduced > 0) steps.push(message('images_reduced_to_page_size', { images: reduced }))
  return steps
}
