/** Baseline of the HTTP benchmark: one hono route, and one that stores its body in R2. */
import { Hono } from 'hono'

const app = new Hono<{ Bindings: { BLOBS: R2Bucket } }>()
app.get('/v1/nothing', (c) => c.json({ error: { code: 404, message: 'The address /v1/nothing does not exist.' } }, 404))
app.put('/raw', async (c) => {
  await c.env.BLOBS.put('raw', c.req.raw.body)
  return c.json({ ok: true })
})

export default app
