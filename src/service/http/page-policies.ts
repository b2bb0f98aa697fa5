/** Content Security Policies of the pages. */

const policyWith = (scripts: string) =>
  `default-src 'none'; script-src ${scripts}; worker-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; ` +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Content Security Policy: scripts, styles, images and media only from this origin; `blob:` for previews of dropped files and results. */
export const PAGE_POLICY = policyWith("'self'")

/** Content Security Policy of the front page, which also compiles WebAssembly: the engines run there. */
export const SITE_POLICY = policyWith("'self' 'wasm-unsafe-eval'")
