const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** The attributes of an element. An attribute with the value undefined is left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

const attributeText = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 100) / 100) : escapeHtml(value)

/** Renders an element; `content` must be markup already. */
export const element = (name: string, attributes: Attributes, content?: string | ReadonlyArray<string>): string => {
  const pairs = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${attributeText(value)}"`
  )
  const inner = content === undefined ? "" : typeof content === "string" ? content : content.join("")
  return `<${name}${pairs.join("")}>${inner}</${name}>`
}
