// Runs before the page is drawn: colours of the reader, and old addresses of error types.
{
  let choice = 'auto'
  try {
    choice = localStorage.getItem('vitepress-theme-appearance') || 'auto'
  } catch {
    // The browser stores nothing: the colours follow the system.
  }
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.classList.toggle('dark', dark)
  document.documentElement.classList.toggle('mac', /Mac|iPhone|iPod|iPad/i.test(navigator.platform))

  // Links of errors are `/docs#type`. VitePress knows its first page as `/docs/` only.
  const { pathname, search, hash } = location
  if (pathname === '/docs') history.replaceState(history.state, '', `/docs/${search}${hash}`)
  if (/^\/docs\/?$/.test(pathname) && /^#[a-z_]+$/.test(hash))
    addEventListener('DOMContentLoaded', () => {
      if (!document.getElementById(hash.slice(1))) location.replace(`/docs/errors${hash}`)
    })
}
