// Runs before the page is drawn: colours of the reader, old addresses of error types, and when the scripts of the page start.
{
  const root = document.documentElement
  const stored = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      // The browser stores nothing.
      return null
    }
  }
  const choice = stored('vitepress-theme-appearance') || 'auto'
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  root.classList.toggle('dark', dark)
  root.classList.toggle('mac', /Mac|iPhone|iPod|iPad/i.test(navigator.platform))

  // Links of errors are `/docs#type`. VitePress knows its first pages as `/docs/` and `/docs/zh/` only.
  const { pathname, search, hash } = location
  if (/^\/docs(\/zh)?$/.test(pathname)) history.replaceState(history.state, '', `${pathname}/${search}${hash}`)
  if (/^\/docs\/?$/.test(pathname) && /^#[a-z_]+$/.test(hash))
    addEventListener('DOMContentLoaded', () => {
      if (!document.getElementById(hash.slice(1))) location.replace(`/docs/errors${hash}`)
    })

  // The text of a page needs no scripts. On a phone, they start when the reader first touches the page, and are loaded before that.
  const PHONE = '(pointer: coarse) and (max-width: 959px)'
  const SIGNS = ['pointerdown', 'click', 'keydown', 'focusin']
  const CONTENTS = '.VPLocalNavOutlineDropdown button'
  const NEEDS_SCRIPTS = 'button, input, label'
  let state = 'waiting'
  let pressed

  const start = () => {
    if (state !== 'waiting') return
    state = 'starting'
    for (const { content } of document.querySelectorAll('meta[name=whittle-script]')) {
      const script = document.createElement('script')
      script.type = 'module'
      script.src = content
      // In the order of the page.
      script.async = false
      document.head.append(script)
    }
  }
  // A button that is pressed before the scripts have started is pressed again afterwards.
  const keep = (event) => {
    const target = event.target instanceof Element ? event.target.closest(NEEDS_SCRIPTS) : null
    if (state === 'ready' || !target) return
    event.preventDefault()
    event.stopImmediatePropagation()
    pressed = target
  }
  const load = () => {
    for (const link of document.querySelectorAll('link[rel=modulepreload][media]')) {
      const now = link.cloneNode()
      now.removeAttribute('media')
      link.replaceWith(now)
    }
  }
  const isRead = () =>
    matchMedia(PHONE).matches &&
    document.getElementById('app')?.firstElementChild &&
    !(stored('whittle-docs-language') && document.querySelector('.vp-code-group'))

  addEventListener('DOMContentLoaded', () => {
    if (!document.querySelector('meta[name=whittle-script]')) return
    if (!isRead()) return start()
    for (const sign of SIGNS) addEventListener(sign, start, { capture: true, once: true, passive: true })
    addEventListener('click', keep, { capture: true })
    addEventListener('whittle-ready', () => {
      state = 'ready'
      removeEventListener('click', keep, { capture: true })
      // After the theme has read the headings. The button of the contents is another one then.
      const press = () => (pressed?.isConnected ? pressed : pressed && document.querySelector(CONTENTS))?.click()
      requestAnimationFrame(() => requestAnimationFrame(press))
    })
    addEventListener('load', () => (window.requestIdleCallback ?? setTimeout)(load))
  })
}
