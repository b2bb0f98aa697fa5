// The API reference: Scalar, with the tokens of all pages and requests to this service only.
{
  const root = document.documentElement
  const KEY = 'vitepress-theme-appearance'
  const isDark = () => root.classList.contains('dark')

  const reference = window.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    baseServerURL: location.origin,
    proxyUrl: '',
    theme: 'none',
    layout: 'modern',
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideDarkModeToggle: true,
    darkMode: isDark(),
    documentDownloadType: 'json',
    persistAuth: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    orderSchemaPropertiesBy: 'preserve',
    authentication: { preferredSecurityScheme: 'key' },
    modelsSectionLabel: 'Schemas',
    hiddenClients: Object.fromEntries(
      ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'http', 'java', 'kotlin', 'objc', 'ocaml', 'powershell', 'r', 'rust', 'swift'].map(
        (name) => [name, true],
      ),
    ),
    setPageTitle: ({ title }) => `${title} – Whittle API`,
  })

  const show = (dark) => {
    root.classList.toggle('dark', dark)
    document.body.classList.toggle('dark-mode', dark)
    document.body.classList.toggle('light-mode', !dark)
    reference.updateConfiguration?.({ ...reference.getConfiguration(), darkMode: dark })
  }

  document.getElementById('theme').addEventListener('click', () => {
    show(!isDark())
    try {
      localStorage.setItem(KEY, isDark() ? 'dark' : 'light')
    } catch {
      // The choice holds until the page is left.
    }
  })

  // Without a choice of the reader, the page follows the system, also while it is open.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    let choice = 'auto'
    try {
      choice = localStorage.getItem(KEY) || 'auto'
    } catch {
      // Nothing is stored, so nothing was chosen before.
    }
    if (choice === 'auto') show(matches)
  })
}
