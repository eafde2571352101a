/** Programs that a test evaluates in a page. */

/** How far the page is wider than its window, in pixels. */
export const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

/** The texts whose contrast with what is behind them is less than WCAG's AA: 4.5, or 3 for large text. */
export const faintTexts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number)
  const part = (value) => { const share = value / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4 }
  const light = ([red, green, blue]) => 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = channels(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] > 0) return color
    }
    return [255, 255, 255]
  }
  const faint = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { parentElement: element, textContent } = texts.currentNode
    if (textContent.trim() === "" || ["SCRIPT", "STYLE"].includes(element.tagName)) continue
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    const size = Number.parseFloat(fontSize)
    const needed = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5
    const [brighter, darker] = [light(channels(color)), light(behind(element))].sort((left, right) => right - left)
    const contrast = (brighter + 0.05) / (darker + 0.05)
    if (contrast < needed) faint.push(textContent.trim().slice(0, 40) + ": " + contrast.toFixed(2))
  }
  return faint
})()`
