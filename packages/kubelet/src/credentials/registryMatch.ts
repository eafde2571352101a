/** A part of a registry's address: its host, its port, and the path of repositories. */
export interface RegistryAddress {
  readonly host: string
  readonly port: string
  readonly path: string
}

const address = /^(?:[^@/?#]*@)?(\[[0-9a-fA-F:.%]+\]|[^:/?#\s\\^`{|}]*)(?::(\d*))?(\/[^?#]*)?(?:[?#].*)?$/

/** Reads an address without a scheme; undefined if it is none. Upstream: pkg/credentialprovider/keyring.go, ParseSchemelessURL. */
export const addressOf = (text: string): RegistryAddress | undefined => {
  const [found, host = "", port = "", path = ""] = address.exec(text) ?? []
  return found === undefined ? undefined : { host, port, path }
}

/** What one character of a label must be, or `*` for any number of any characters. */
type Token = "*" | ((sign: string) => boolean)

/** Reads `[abc]`, `[a-z]` or `[^a]`. */
const setOf = (isNot: boolean, members: string): Token => {
  const ranges = Array.from(members.matchAll(/(.)-(.)|(.)/gu), ([, from = "", to = "", one = ""]) =>
    one === "" ? ([from, to] as const) : ([one, one] as const)
  )
  return (sign) => ranges.some(([from, to]) => from <= sign && sign <= to) !== isNot
}

/** Reads a pattern of Go's filepath.Match for one label; undefined if it is malformed. */
const tokensOf = (pattern: string): ReadonlyArray<Token> | undefined => {
  const tokens: Array<Token> = []
  for (let index = 0; index < pattern.length; index++) {
    const sign = pattern[index] ?? ""
    if (sign === "[") {
      const [set, isNot = "", members = ""] = /^\[(\^?)([^\]]+)\]/.exec(pattern.slice(index)) ?? []
      if (set === undefined) return undefined
      tokens.push(setOf(isNot !== "", members))
      index += set.length - 1
    } else if (sign !== "*") tokens.push((other) => other === sign)
    else if (tokens.at(-1) !== "*") tokens.push("*")
  }
  return tokens
}

/** Whether a text is what the tokens say. After a mismatch only the last `*` takes more, which bounds the steps. */
const isMatch = (tokens: ReadonlyArray<Token>, text: string): boolean => {
  let [token, at, star, starAt] = [0, 0, -1, 0]
  while (at < text.length) {
    const wanted = tokens[token]
    if (wanted === "*") [star, starAt] = [token++, at]
    else if (wanted?.(text.charAt(at)) === true) [token, at] = [token + 1, at + 1]
    else if (star !== -1) [token, at] = [star + 1, ++starAt]
    else return false
  }
  return tokens.slice(token).every((left) => left === "*")
}

const matchesLabel = (pattern: string, label: string): boolean => {
  const tokens = pattern === label ? [] : tokensOf(pattern)
  return pattern === label || (tokens !== undefined && isMatch(tokens, label))
}

/**
 * Whether an address with wildcards in its host's labels is that of a repository: the same port, as many labels, and a
 * path that begins with its own. Upstream: keyring.go, URLsMatch.
 */
export const registryMatches = (pattern: string, repository: string): boolean => {
  const glob = addressOf(pattern)
  const target = addressOf(repository)
  if (glob === undefined || target === undefined) return false
  const globLabels = glob.host.split(".")
  const labels = target.host.split(".")
  return (
    glob.port === target.port &&
    globLabels.length === labels.length &&
    target.path.startsWith(glob.path) &&
    globLabels.every((label, index) => matchesLabel(label, labels[index] ?? ""))
  )
}
