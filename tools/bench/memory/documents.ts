/** Generates large documents. */
import { writeChunks } from './pictures.ts'

/** Writes an SVG with `elements` different paths of `points` points each. */
export function svg(path: string, elements: number, points: number): void {
  const line = (element: number) =>
    Array.from({ length: points }, (_, i) => `${(i * 1.37 + element).toFixed(3)} ${(50 + 40 * Math.sin(i * 0.7 + element)).toFixed(3)}`)
  const drawn = Array.from({ length: elements }, (_, i) => `<path d="M ${line(i).join(' L ')}" stroke="#${(i + 4096).toString(16)}" />\n`)
  writeChunks(path, [Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 100">\n${drawn.join('')}</svg>`)])
}

/** Writes a PDF with one page and `objects` numbers, each an indirect object referenced by arrays. */
export function pdf(path: string, objects: number): void {
  const [first, each] = [4, 1000]
  const arrays = Math.ceil(objects / each)
  const numbers = first + arrays
  const refs = (from: number, count: number) => `[${Array.from({ length: count }, (_, i) => `${from + i} 0 R`).join(' ')}]`
  const bodyOf = (number: number) => {
    if (number === 1) return `<</Type/Catalog/Pages 2 0 R/PieceInfo<</Numbers ${refs(first, arrays)}>>>>`
    if (number === 2) return '<</Type/Pages/Kids[3 0 R]/Count 1>>'
    if (number === 3) return '<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>'
    return number < numbers ? refs(numbers + (number - first) * each, each) : `${number * 7}`
  }
  const last = numbers + arrays * each - 1
  const places: string[] = []
  writeChunks(
    path,
    (function* () {
      let at = 0
      const piece = (text: string) => {
        at += text.length
        return Buffer.from(text, 'latin1')
      }
      yield piece('%PDF-1.4\n')
      for (let number = 1; number <= last; number++) {
        places.push(`${String(at).padStart(10, '0')} 00000 n \n`)
        yield piece(`${number} 0 obj\n${bodyOf(number)}\nendobj\n`)
      }
      const start = at
      yield piece(`xref\n0 ${last + 1}\n0000000000 65535 f \n`)
      for (const place of places) yield piece(place)
      yield piece(`trailer\n<</Size ${last + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`)
    })(),
  )
}
