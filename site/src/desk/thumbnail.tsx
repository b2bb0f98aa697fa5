/** Small picture of a file. Types that the browser cannot draw get an icon. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatFacts } from '../model/facts.ts'
import type { FormatId } from '../model/protocol.ts'
import { Icon } from '../parts/icon.tsx'
import type { IconName } from '../parts/icons.ts'

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

/** Formats whose thumbnail the browser can draw. */
const DRAWN: readonly FormatId[] = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg']

export function Thumbnail({ file, format }: { file: File; format: FormatId | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  const canTry = format !== undefined && DRAWN.includes(format) && file.size <= MAX_BYTES
  useEffect(() => {
    if (!canTry || !canvas.current) return
    const target = canvas.current
    let isGone = false
    void draw(file, format, target).then(
      () => !isGone && setDrawn(true),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [file, canTry])
  if (format && ['pdf', 'docx', 'odt', 'ofd'].includes(format)) return <Sheet />
  return (
    <span class="thumb">
      {canTry && <canvas ref={canvas} width={SIDE} height={SIDE} hidden={!isDrawn} />}
      {!isDrawn && <Icon name={iconOf(format)} />}
    </span>
  )
}

const Sheet = () => (
  <span class="thumb thumb--doc">
    <i />
    <i />
    <i />
    <i />
  </span>
)

/** Draws the middle square of the picture. @throws if the browser cannot decode it */
async function draw(file: File, format: FormatId, canvas: HTMLCanvasElement): Promise<void> {
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
