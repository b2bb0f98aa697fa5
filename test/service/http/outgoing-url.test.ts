/** Tests of the allowed callback addresses, before DNS resolution. */
import { describe, expect, it } from 'vitest'
import { translate } from '../../../src/service/i18n/message.ts'
import { checkOutgoingUrl } from '../../../src/service/tasks/outgoing-url.ts'

const PUBLIC = { loopbackHttp: false }
const why = (url: string, rules = PUBLIC) => {
  const checked = checkOutgoingUrl(url, rules)
  return checked.ok ? 'fine' : translate('en', checked.why)
}

describe('a callback address', () => {
  it('is refused if its host is an internal name', () => {
    const names = [
      ...[
        'jenkins.svc',
        'kubernetes.default.svc',
        'a.svc.cluster.local',
        'web.service.consul',
        'router.fritz.box',
        'a.intern',
        'a.localnet',
      ],
      ...[
        'a.workgroup',
        'pc.mshome.net',
        'a.alt',
        'a.example',
        '1.0.0.127.in-addr.arpa',
        'nas.home.arpa',
        'a.lan',
        'a.internal',
        'a.onion',
      ],
    ]
    for (const name of names) expect(why(`https://${name}/x`), name).toBe('its host is an internal name')
  })

  it('is accepted if its host is a public domain name', () => {
    const names = [
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(127)}com`,
      '-a.com',
      'a-.com',
      'a..com',
      'a.c',
      'a.1com',
      '.a.com',
      'a.c_m',
      'a b.com',
    ]
    for (const name of names) expect(why(`https://${name}/x`), name).not.toBe('fine')
    for (const name of ['a.com', 'xn--bcher-kva.example.com', 'bücher.de', 'a_b.shop.io', 'svc.example.com', `${'a'.repeat(63)}.com`]) {
      expect(why(`https://${name}/x`), name).toBe('fine')
    }
  })

  it('must use port 443, 8443 or a port that the operator allows', () => {
    for (const port of [22, 25, 80, 3000, 6379, 9443]) {
      expect(why(`https://a.com:${port}/`), String(port)).toBe(`its port is ${port}; allowed are 443, 8443`)
    }
    for (const port of ['', ':443', ':8443']) expect(why(`https://a.com${port}/`), port).toBe('fine')
    expect(why('https://a.com:9443/', { ...PUBLIC, ports: [9443] } as typeof PUBLIC)).toBe('fine')
  })

  it('may use http on the local machine only in a local service', () => {
    for (const host of ['127.0.0.1:9999', 'localhost:80', '[::1]:1']) {
      expect(why(`http://${host}/`, { loopbackHttp: true }), host).toBe('fine')
      expect(why(`http://${host}/`), host).toBe('it must begin with https://')
    }
  })
})
