/** HTML page with rows of pictures that scroll and zoom together. */
export interface Shown {
  readonly title: string
  /** File name in the folder of the page. */
  readonly file: string
  readonly bytes: number
  readonly figures: string
  /** Receipt as text, shown as a tooltip. */
  readonly told: string
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function figure({ title, file, bytes, figures, told }: Shown, original: Shown): string {
  const share = original.bytes > 0 ? `${((bytes / original.bytes) * 100).toFixed(1)} %` : ''
  return `<figure title="${escapeHtml(told)}"><figcaption><b>${escapeHtml(title)}</b> ${bytes} bytes, ${share}<br>${escapeHtml(figures) || '&nbsp;'}</figcaption>
<div class="view"><img src="${escapeHtml(original.file)}" class="under"><img src="${escapeHtml(file)}" class="over"></div></figure>`
}

export const page = (rows: readonly (readonly Shown[])[]): string => `<!doctype html><meta charset="utf-8"><title>Visual review</title>
<style>
body { font: 13px system-ui; margin: 0; background: #808080; color: #fff }
header { position: sticky; top: 0; left: 0; padding: 8px; background: #333; z-index: 1 }
section { display: flex; gap: 4px; margin: 4px }
figure { margin: 0; flex: 0 0 auto }
.view { width: 480px; height: 480px; overflow: auto; position: relative; isolation: isolate }
.view img { position: absolute; left: 0; top: 0; transform-origin: 0 0; transform: scale(var(--zoom, 1)); image-rendering: pixelated }
.under { visibility: hidden }
.difference .under { visibility: visible }
.difference .over { mix-blend-mode: difference }
.difference .view { filter: brightness(8) }
.white .view { background: #fff } .black .view { background: #000 }
</style>
<header>
<label><input type="checkbox" data-class="difference"> difference × 8</label>
<label>zoom <input type="range" min="1" max="8" value="1" id="zoom"></label>
<label><input type="radio" name="ground" data-class="" checked> grey</label>
<label><input type="radio" name="ground" data-class="white"> white</label>
<label><input type="radio" name="ground" data-class="black"> black</label>
Press on a picture to see the original. Hover to see the receipt.
</header>
${rows.map((row) => `<section>${row.map((shown) => figure(shown, row[0]!)).join('')}</section>`).join('\n')}
<script>
for (const input of document.querySelectorAll('input[data-class]')) input.onchange = () => {
  for (const each of document.querySelectorAll('input[data-class]')) if (each.dataset.class) document.body.classList.toggle(each.dataset.class, each.checked)
}
document.getElementById('zoom').oninput = (event) => document.body.style.setProperty('--zoom', event.target.value)
for (const section of document.querySelectorAll('section')) {
  const views = [...section.querySelectorAll('.view')]
  for (const view of views) {
    view.onscroll = () => { for (const other of views) { other.scrollLeft = view.scrollLeft; other.scrollTop = view.scrollTop } }
    const show = (original) => { view.querySelector('.under').style.visibility = original ? 'visible' : ''; view.querySelector('.over').style.opacity = original ? 0 : '' }
    view.onpointerdown = () => show(true)
    view.onpointerup = view.onpointerleave = () => show(false)
  }
}
</script>
`
