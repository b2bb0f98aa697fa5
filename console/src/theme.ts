/** Light or dark. The front page stores the choice under the same name. */
const STORED = 'whittle-theme'

export function switchTheme(): void {
  const root = document.documentElement
  const isDark = (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  root.dataset['theme'] = isDark ? 'light' : 'dark'
  localStorage.setItem(STORED, root.dataset['theme'])
}
