/** Web app manifest: makes the page installable, and offers it to other apps that share files. */
export const MANIFEST = {
  id: '/',
  name: 'Whittle',
  short_name: 'Whittle',
  description: 'Makes files smaller on your own device, and shows a receipt of what was kept.',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  background_color: '#fafaf7',
  theme_color: '#fafaf7',
  icons: [
    { src: '/app/icon.svg', sizes: 'any', type: 'image/svg+xml' },
    { src: '/app/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any maskable' },
    { src: '/app/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
  ],
  share_target: {
    action: '/share',
    method: 'POST',
    enctype: 'multipart/form-data',
    params: { files: [{ name: 'files', accept: ['*/*'] }] },
  },
}
