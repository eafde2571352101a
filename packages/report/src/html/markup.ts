const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes a text for HTML. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** The attributes of an element; undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

const written = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 100) / 100) : escaped(value)

/** Renders an element; `content` must be markup already. */
export const element = (name: string, attributes: Attributes, content?: string | ReadonlyArray<string>): string => {
  const given = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${written(value)}"`
  )
  const inner = content === undefined ? "" : typeof content === "string" ? content : content.join("")
  return `<${name}${given.join("")}>${inner}</${name}>`
}
