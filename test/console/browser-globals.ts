/** Names of a browser that modules of the console read when they are loaded. Import this file before those of `console/src/`. */
import '../site/with-facts.ts'

const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined }
Object.assign(globalThis, {
  sessionStorage: storage,
  localStorage: storage,
  location: { hostname: 'localhost', hash: '', origin: 'http://localhost' },
})
