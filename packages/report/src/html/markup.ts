const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text that is not markup, whoever wrote it. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Attributes whose value is undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>

const written = (value: string | number): string =>
  typeof value === "number" ? String(Math.round(value * 100) / 100) : escaped(value)

/** An element; its content is markup. */
export const element = (name: string, attributes: Attributes, content?: string | ReadonlyArray<string>): string => {
  const given = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? "" : ` ${key}="${written(value)}"`
  )
  const inner = content === undefined ? "" : typeof content === "string" ? content : content.join("")
  return `<${name}${given.join("")}>${inner}</${name}>`
}
