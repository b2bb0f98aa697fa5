/** Remembers which language a reader chose in a group of code tabs, and shows it in all groups. */

const KEY = 'whittle-docs-language'

const labelOf = (input: Element) => input.nextElementSibling?.textContent?.trim()

/** The stored language. `undefined`: none was chosen, or the browser stores nothing. */
function stored(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}

export function rememberLanguage(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.vp-code-group')) return
    try {
      localStorage.setItem(KEY, labelOf(target) ?? '')
    } catch {
      // The choice holds for this group only.
    }
    showLanguage()
  })
}

/** Opens the tab of the stored language in every group that has one. */
export function showLanguage(): void {
  const language = stored()
  if (language === undefined) return
  for (const input of document.querySelectorAll<HTMLInputElement>('.vp-code-group input'))
    if (!input.checked && labelOf(input) === language) input.click()
}
