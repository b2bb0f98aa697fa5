/** What happened to the pictures of a document. */
import type { PictureLoss } from '../../../model/loss.ts'

export interface ImageReport {
  /** The worst picture that was changed; undefined when nothing was lost. */
  worst: PictureLoss | undefined
  recoded: number
  reduced: number
  exact: number
  /** With a palette or fewer bits a pixel. */
  packed: number
  /** Drawings with fewer colours than before. */
  palettes: number
}

export const emptyReport = (): ImageReport => ({ worst: undefined, recoded: 0, reduced: 0, exact: 0, packed: 0, palettes: 0 })

/** The same for the receipt. */
export function imageSteps({ exact, packed, palettes, recoded, reduced }: ImageReport): string[] {
  const steps: string[] = []
  if (exact > 0) steps.push(`${exact} images coded more tightly`)
  if (packed > 0) steps.push(`${packed} images with a palette of their colours or fewer bits a pixel`)
  if (palettes > 0) steps.push(`${palettes} images with a palette of fewer colours`)
  if (recoded > 0) steps.push(`${recoded} images as JPEG`)
  if (reduced > 0) steps.push(`${reduced} images reduced to their size on the page`)
  return steps
}
