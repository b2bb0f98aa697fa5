/** Runs before the page is drawn, so that a chosen theme does not flash. */
try {
  const theme = localStorage.getItem('whittle-theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
} catch {}

export {}
