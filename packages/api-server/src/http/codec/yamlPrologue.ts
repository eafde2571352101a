/** What goyaml says of the begin of a text, up to its first token. Upstream: goyaml.v2/scannerc.go, parserc.go. */

const comment = /^\s*(?:#.*)?$/
const documentMark = /^(?:---|\.\.\.)(?:\s|$)/

/** An error at a line, from zero. goyaml's scanner counts lines from one, its parser from zero; neither names the first. */
const scannerFault = (message: string, line: number): string =>
  `yaml: ${line === 0 ? "" : `line ${line + 1}: `}${message}`
const parserFault = (message: string, line: number): string => `yaml: ${line === 0 ? "" : `line ${line}: `}${message}`

/** Returns what is wrong with a directive as such. */
const directiveFault = (name: string, rest: string): string | undefined => {
  if (name === "") return "could not find expected directive name"
  if (name === "TAG") {
    if (!/^\s+![\w-]*!?(?:\s|$)/.test(rest)) return "did not find expected '!'"
    return /^\s+\S+\s+\S+\s*(?:#.*)?$/.test(rest) ? undefined : "did not find expected whitespace"
  }
  if (name !== "YAML") return "found unknown directive name"
  if (!/^\s+\d/.test(rest)) return "did not find expected version number"
  if (!/^\s+\d+\./.test(rest)) return "did not find expected digit or '.' character"
  if (!/^\s+\d+\.\d/.test(rest)) return "did not find expected version number"
  return /^\s+\d+\.\d+\s*(?:\s#.*)?$/.test(rest) ? undefined : "did not find expected comment or line break"
}

/** Returns why a directive cannot follow the others. */
const repeatedFault = (name: string, rest: string, seen: Set<string>): string | undefined => {
  const key = name === "TAG" ? `TAG ${rest.trim().split(/\s+/)[0]}` : name
  if (seen.has(key)) return `found duplicate %${name} directive`
  seen.add(key)
  return name === "YAML" && !/^\s+1\.1\b/.test(rest) ? "found incompatible YAML document" : undefined
}

/** Returns goyaml's error for what is before the first value of a text; undefined if there is none. */
export const prologueFault = (text: string): string | undefined => {
  const seen = new Set<string>()
  let line = 0
  for (let at = 0; at <= text.length; line++) {
    const end = text.indexOf("\n", at)
    const each = text.slice(at, end < 0 ? text.length : end).replace(/\r$/, "")
    if (each.startsWith("%")) {
      const [, name = "", rest = ""] = /^%([\w-]*)(.*)$/.exec(each) ?? []
      const fault = directiveFault(name, rest)
      if (fault !== undefined) return scannerFault(fault, line)
      const repeated = repeatedFault(name, rest, seen)
      if (repeated !== undefined) return parserFault(repeated, line)
    } else if (/^ *\t\s*(?:#.*)?$/.test(each)) {
      return scannerFault("found character that cannot start any token", line)
    } else if (!comment.test(each)) return firstTokenFault(each, line, seen.size > 0)
    if (end < 0) break
    at = end + 1
  }
  return seen.size > 0 ? parserFault("did not find expected <document start>", Math.max(line, 1)) : undefined
}

const firstTokenFault = (text: string, line: number, hasDirectives: boolean): string | undefined => {
  if (hasDirectives && !text.startsWith("---")) return parserFault("did not find expected <document start>", line)
  const ends = text.startsWith("...") && documentMark.test(text)
  return ends ? parserFault("did not find expected node content", line) : undefined
}
