// Links of error answers end in #type: they lead to its line in the table at the top.
function showError() {
  // Swagger UI puts a slash in front.
  const wanted = decodeURIComponent(location.hash).replace(/^#\/?/, '')
  const cells = [...document.querySelectorAll('#reference .info td:first-child code')]
  const found = cells.find((cell) => cell.textContent === wanted)
  if (!found) return
  found.tabIndex = -1
  found.scrollIntoView({ block: 'center' })
  found.focus()
}
addEventListener('hashchange', showError)

// The page is drawn in several goes, and the last one replaces the first: until the reader does something, it is found again.
const drawn = new MutationObserver(() => document.activeElement === document.body && showError())
drawn.observe(document.getElementById('reference'), { childList: true, subtree: true })
for (const sign of ['pointerdown', 'keydown', 'wheel']) addEventListener(sign, () => drawn.disconnect(), { once: true })

SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true, persistAuthorization: false })
