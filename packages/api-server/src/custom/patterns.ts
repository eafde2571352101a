const compiled = new Map<string, RegExp | undefined>()
const MAX_PATTERNS = 4096

/** RE2 knows flags at the start of a pattern and names its classes otherwise; the rest reads the same in JavaScript. */
const compile = (pattern: string): RegExp | undefined => {
  const [, flags = "", rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? []
  const source = rest
    .replaceAll("\\A", "^")
    .replaceAll("\\z", "$")
    .replaceAll("(?P<", "(?<")
    .replaceAll("[:alnum:]", "a-zA-Z0-9")
    .replaceAll("[:alpha:]", "a-zA-Z")
    .replaceAll("[:digit:]", "0-9")
    .replaceAll("[:lower:]", "a-z")
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:space:]", "\\s")
  for (const mode of ["u", ""]) {
    try {
      return new RegExp(source, flags + mode)
    } catch {
      // Once more without Unicode: RE2 lets more characters be escaped.
    }
  }
  return undefined
}

/** Whether a text matches a pattern of a schema, anywhere. A pattern that JavaScript cannot read refuses nothing. */
export const matchesPattern = (pattern: string, text: string): boolean => {
  if (!compiled.has(pattern)) {
    if (compiled.size >= MAX_PATTERNS) compiled.clear()
    compiled.set(pattern, compile(pattern))
  }
  return compiled.get(pattern)?.test(text) ?? true
}
