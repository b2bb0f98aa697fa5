declare namespace Cloudflare {
  interface Env extends Omit<import('../../src/env.ts').Env, 'PRESS' | 'MEDIA'> {}
}
