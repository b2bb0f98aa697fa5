/** Small picture of a file. A sound gets a button that plays it; other types that the page cannot draw get an icon. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatFacts } from '../model/facts.ts'
import type { FormatId } from '../model/protocol.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icons.ts'
import { SoundButton } from './sound-button.tsx'

/** Side in pixels: twice the size on the page, for screens with a fine resolution. */
const SIDE = 88
/** Larger pictures would take seconds and hundreds of megabytes to decode for a thumbnail. */
const MAX_BYTES = 40_000_000

const ICONS: Readonly<Record<string, IconName>> = {
  ...{ image: 'image', video: 'film', audio: 'audio-lines', text: 'braces', document: 'file-text', ebook: 'file-text', mail: 'file-text' },
  ...{ data: 'file-question-mark', cad: 'shapes' },
}

const iconOf = (format: FormatId | undefined): IconName =>
  format === undefined
    ? 'file-question-mark'
    : format === 'pptx' || format === 'odp'
      ? 'presentation'
      : (ICONS[formatFacts(format).family] ?? 'database')

/** Formats whose thumbnail the page can draw. */
const DRAWN: readonly FormatId[] = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg', 'pdf']
/** Formats that look like a page of text until they are drawn. */
const SHEETS: readonly FormatId[] = ['pdf', 'docx', 'odt', 'ofd']

export function Thumbnail({ file, format }: { file: File; format: FormatId | undefined }) {
  const frame = useRef<HTMLSpanElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  const canTry = format !== undefined && DRAWN.includes(format) && file.size > 0 && file.size <= MAX_BYTES
  useEffect(() => {
    if (!canTry || !frame.current) return
    let isGone = false
    const end = whenVisible(frame.current, () => {
      if (!canvas.current) return
      void draw(file, format, canvas.current).then(
        () => !isGone && setDrawn(true),
        () => undefined,
      )
    })
    return () => {
      isGone = true
      end()
    }
  }, [file, canTry])
  if (format !== undefined && formatFacts(format).family === 'audio' && file.size > 0) return <SoundButton file={file} />
  const isSheet = !isDrawn && format !== undefined && SHEETS.includes(format)
  return (
    <span class={isSheet ? 'thumb thumb--doc' : 'thumb'} ref={frame}>
      {canTry && <canvas ref={canvas} width={SIDE} height={SIDE} hidden={!isDrawn} />}
      {isSheet ? <Lines /> : !isDrawn && <Icon name={iconOf(format)} />}
    </span>
  )
}

const Lines = () => (
  <>
    <i />
    <i />
    <i />
    <i />
  </>
)

/** Calls `show` when the element comes into view. @returns a function that ends the wait */
function whenVisible(element: Element, show: () => void): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    show()
  })
  observer.observe(element)
  return () => observer.disconnect()
}

/** Draws the middle square of a picture, or the top of the first page. @throws if the file cannot be decoded */
async function draw(file: File, format: FormatId, canvas: HTMLCanvasElement): Promise<void> {
  if (format === 'pdf') return (await import('../shared/pdf.ts')).drawFirstPage(file, canvas)
  const url = URL.createObjectURL(format === 'svg' ? new Blob([file], { type: 'image/svg+xml' }) : file)
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const [width, height] = [image.naturalWidth || SIDE, image.naturalHeight || SIDE]
    const side = Math.min(width, height)
    canvas.getContext('2d')?.drawImage(image, (width - side) / 2, (height - side) / 2, side, side, 0, 0, SIDE, SIDE)
  } finally {
    URL.revokeObjectURL(url)
  }
}
