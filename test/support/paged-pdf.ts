/** Generates PDF files with very many pages of different content, whose objects are in page order or shuffled. */
import { buildPdf, type Part } from '../core/formats/pdf/build.ts'
import { randomNumbers } from './random-numbers.ts'

const LINES = 120

export function pagedPdf(pages: number, order: 'in order' | 'shuffled'): Uint8Array {
  const random = randomNumbers(pages)
  const whole = () => Math.floor(random() * 1000)
  const numbers = Array.from({ length: pages }, (_, i) => i)
  // Fisher–Yates shuffle.
  const places = order === 'shuffled' ? [...numbers] : numbers
  for (let i = places.length - 1; i > 0 && order === 'shuffled'; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[places[i], places[j]] = [places[j]!, places[i]!]
  }
  const objects: Part[] = ['<</Type/Catalog/Pages 2 0 R>>']
  objects.push(`<</Type/Pages/Kids[${places.map((place) => `${3 + 2 * place} 0 R`).join(' ')}]/Count ${pages}>>`)
  for (let place = 0; place < pages; place++) {
    // If shuffled, the contents of a page are at the opposite end of the file.
    const contents = order === 'shuffled' ? pages - 1 - place : place
    objects.push(`<</Type/Page/Parent 2 0 R/MediaBox[0 0 1000 1000]/Contents ${4 + 2 * contents} 0 R/Resources<<>>>>`)
    const lines = Array.from({ length: LINES }, () => `${whole()} ${whole()} m ${whole()} ${whole()} l S`)
    objects.push({ dict: '', data: lines.join('\n') })
  }
  return buildPdf(objects)
}
