/** Writes YAML like Kubernetes' Go library: sorted keys, lists not indented, lines broken after 80 columns. */

const BEST_WIDTH = 80

const number =
  /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$|^[-+]?0[xX][0-9a-fA-F_]+$|^[-+]?0[bB][01_]+$|^0o?[0-7_]+$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$|^[-+]?[0-9][0-9_]*$|^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$/
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]+\d{1,2}:\d{2}:\d{2}(\.\d*)?([ \t]*(Z|[-+]\d{1,2}(:?\d{2})?))?)?$/
const words = new Set(
  ["y", "yes", "on", "true", "n", "no", "off", "false", "null"].flatMap((word) => [
    word,
    word.toUpperCase(),
    `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
  ])
)

/** Whether an unquoted text would not be read as a string. */
const isAmbiguous = (text: string): boolean =>
  text === "" || text === "~" || text === "<<" || words.has(text) || number.test(text) || timestamp.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters have to be escaped
const special = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\ufeff\ud800-\udfff]/
const indicators = /^[-?:,[\]{}#&*!|>'"%@`]/

const canBePlain = (text: string): boolean => {
  if (/^\s|\s$/.test(text) || /[\n\t]/.test(text)) return false
  if (/^(---|\.\.\.)/.test(text)) return false
  if (indicators.test(text) && !/^[-?:][^\s]/.test(text)) return false
  return !/: | #|:$/.test(text)
}

const escapes: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\t": "\\t",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
  "\0": "\\0"
}

const doubled = (text: string): string => {
  let out = '"'
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (escapes[char] !== undefined) out += escapes[char]
    else if (special.test(char))
      out +=
        code < 256
          ? `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`
          : `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`
    else out += char
  }
  return `${out}"`
}

/** Breaks a text at the first blank after the best width; `column` is its start. */
const folded = (text: string, column: number, indent: number): string => {
  const margin = `\n${" ".repeat(indent)}`
  let out = ""
  let at = column
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? ""
    const breakable =
      char === " " && text[index - 1] !== " " && text[index + 1] !== " " && index > 0 && index < text.length - 1
    if (breakable && at > BEST_WIDTH) {
      out += margin
      at = indent
    } else {
      out += char
      at++
    }
  }
  return out
}

const literal = (text: string, indent: number): string => {
  const chomp = text.endsWith("\n\n") || text === "\n" ? "+" : text.endsWith("\n") ? "" : "-"
  const hint = /^[ \n]/.test(text) ? "2" : ""
  const margin = " ".repeat(indent)
  const lines = (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
  return `|${hint}${chomp}\n${lines.map((line) => (line === "" ? "" : margin + line)).join("\n")}`
}

const scalarText = (text: string, column: number, indent: number, isKey: boolean): string => {
  if (isAmbiguous(text)) return `"${text}"`
  if (special.test(text)) return doubled(text)
  if (text.includes("\n") && !isKey && !/[ \t]\n|[ \t]$/.test(text)) return literal(text, indent)
  const fold = (body: string): string => (isKey ? body : folded(body, column, indent))
  if (text.includes("\n") || text.includes("\t")) return doubled(text)
  return canBePlain(text) ? fold(text) : `'${fold(text.replaceAll("'", "''"))}'`
}

const scalar = (value: unknown, column: number, indent: number): string => {
  if (value === null || value === undefined) return "null"
  return typeof value === "string" ? scalarText(value, column, indent, false) : String(value)
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Compares keys: digits as numbers, letters after everything else. Upstream: goyaml keyList. */
const naturally = (left: string, right: string): number => {
  const isLetter = (char: string) => /\p{L}/u.test(char)
  const a = [...left]
  const b = [...right]
  for (let at = 0; at < a.length && at < b.length; at++) {
    const x = a[at] ?? ""
    const y = b[at] ?? ""
    if (x === y) continue
    if (isLetter(x) && isLetter(y)) return x < y ? -1 : 1
    if (isLetter(x) || isLetter(y)) return isLetter(x) ? 1 : -1
    const p = /^\d+/.exec(a.slice(at).join(""))?.[0]
    const q = /^\d+/.exec(b.slice(at).join(""))?.[0]
    if (p !== undefined && q !== undefined && Number(p) !== Number(q)) return Number(p) - Number(q)
    return x < y ? -1 : 1
  }
  return a.length - b.length
}

const block = (value: unknown, indent: number, first: string): string => {
  const margin = " ".repeat(indent)
  if (Array.isArray(value)) {
    return value.map((item, index) => `${index === 0 ? first : margin}- ${nested(item, indent + 2)}`).join("\n")
  }
  const entries = Object.entries(value as object).filter(([, item]) => item !== undefined)
  return entries
    .toSorted(([left], [right]) => naturally(left, right))
    .map(([key, item], index) => {
      const name = scalarText(key, 0, indent, true)
      const head = `${index === 0 ? first : margin}${name}:`
      if (isMap(item) && Object.keys(item).length > 0)
        return `${head}\n${block(item, indent + 2, " ".repeat(indent + 2))}`
      if (Array.isArray(item) && item.length > 0) return `${head}\n${block(item, indent, margin)}`
      return `${head} ${leaf(item, indent + name.length + 2, indent + 2)}`
    })
    .join("\n")
}

const leaf = (value: unknown, column: number, indent: number): string => {
  if (Array.isArray(value)) return "[]"
  return isMap(value) ? "{}" : scalar(value, column, indent)
}

/** Renders a list item: the text after the dash. */
const nested = (value: unknown, indent: number): string => {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0
  return typeof value === "object" && value !== null && !isEmpty
    ? block(value, indent, "")
    : leaf(value, indent, indent)
}

/** Renders a value as YAML, with a line end. */
export const toYaml = (value: unknown): string => `${nested(value, 0)}\n`
