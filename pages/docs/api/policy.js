// Adapts the libraries inside of Scalar to the Content Security Policy. Loaded before them.
{
  const nonce = document.querySelector('meta[property=csp-nonce]')?.content ?? ''

  // Some create `<style>` elements without the nonce of the page.
  const createElement = document.createElement.bind(document)
  document.createElement = (name, options) => {
    const element = createElement(name, options)
    if (String(name).toLowerCase() === 'style') element.nonce = nonce
    return element
  }

  // The policy forbids `style` attributes as text. The same through the object model is allowed.
  const setAttribute = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style' && this.style) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }

  const html = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')
  const STYLE_IN_TAG = /(<[a-z][^<>]*?)\sstyle="([^"]*)"/gi
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...html,
    set(text) {
      html.set.call(this, String(text).replaceAll(STYLE_IN_TAG, '$1 data-style="$2"'))
      const root = this instanceof HTMLTemplateElement ? this.content : this
      for (const element of root.querySelectorAll('[data-style]')) element.style.cssText = element.dataset.style
    },
  })

  // zod tries to compile code from text, unless it is told not to.
  globalThis.__zod_globalConfig = { jitless: true }
}
