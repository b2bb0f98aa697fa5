/** Counts what was done to the pictures of a document, for the receipt. */
import { RemovedData, recompressedStep } from '../../embedded/gone.ts'
import { VerifiedFiles } from '../../embedded/verification-cache.ts'
import { type Message, message } from '../../i18n/message.ts'
import { type PictureLoss, worseLoss } from '../../model/loss.ts'
import type { SmallerBlip } from './recompress.ts'

export class Tally {
  readonly verified = new VerifiedFiles()
  readonly gone = new RemovedData()
  loss: PictureLoss | undefined
  #pictures = 0
  #metafiles = 0
  #recompressed = 0
  #downsampled = 0
  #jpegs = 0
  #bitmaps = 0

  /** Counts a picture. `made`: its smaller record; `undefined`: it stays. */
  add(made: SmallerBlip | undefined): void {
    this.#pictures++
    if (!made) return
    if (!made.fresh) {
      this.#metafiles++
      return
    }
    const { picture, output } = made.fresh
    this.#recompressed++
    if (picture.downsampled) this.#downsampled++
    if (made.before === 'dib') this.#bitmaps++
    else if (made.before !== output) this.#jpegs++
    if (picture.loss) this.loss = worseLoss(this.loss, picture.loss)
    this.verified.add(picture.bytes)
    this.gone.add(picture.removed)
  }

  steps(): Message[] {
    const details = [
      ...(this.#downsampled > 0 ? [message('pictures_downsampled_to_shown', { pictures: this.#downsampled })] : []),
      ...(this.#jpegs > 0 ? [message('pngs_to_jpeg', { pictures: this.#jpegs })] : []),
      ...(this.#bitmaps > 0 ? [message('bmps_to_png_or_jpeg', { pictures: this.#bitmaps })] : []),
    ]
    return [
      ...(this.#recompressed > 0 ? [recompressedStep(this.#recompressed, this.#pictures, details)] : []),
      ...(this.#metafiles > 0 ? [message('metafiles_deflated_again', { metafiles: this.#metafiles })] : []),
      ...this.gone.steps(),
    ]
  }
}
