/*
 * Kubernetes' checks of names. Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go and
 * pkg/api/validate/content.
 */

import { goQuote } from "./goQuote.ts"

/** The error messages of a check, in order; empty if the value is valid. */
export type Messages = ReadonlyArray<string>

const noMessages: Messages = []

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const subdomain = `${label}(\\.${label})*`
const underscoreLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const underscoreSubdomain = `${underscoreLabel}(\\.${underscoreLabel})*`
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const labelValue = `(${qualified})?`
const percent = "[0-9]+%"
const httpHeader = "[-A-Za-z0-9]+"
const configMapKey = "[-._a-zA-Z0-9]+"

const anchored = (pattern: string) => new RegExp(`^(?:${pattern})$`)

const labelPattern = anchored(label)
const subdomainPattern = anchored(subdomain)
const underscoreSubdomainPattern = anchored(underscoreSubdomain)
const dns1035Pattern = anchored(dns1035)
const qualifiedPattern = anchored(qualified)
const labelValuePattern = anchored(labelValue)
const percentPattern = anchored(percent)
const httpHeaderPattern = anchored(httpHeader)
const configMapKeyPattern = anchored(configMapKey)

/** Returns the length in UTF-8 bytes, as Go counts it. */
export const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7ff) bytes += unit >= 0xd800 && unit <= 0xdfff ? 1 : 2
    else if (unit > 0x7f) bytes += 1
  }
  return bytes
}

/**
 * Returns the error of a value that does not match a pattern. Two spaces follow the first example, as upstream prints
 * them.
 */
export const patternText = (message: string, pattern: string, ...examples: ReadonlyArray<string>): string =>
  examples.length === 0
    ? `${message} (regex used for validation is '${pattern}')`
    : `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`

const tooManyCharacters = (max: number) => `must be no more than ${max} characters`
const tooManyBytes = (max: number) => `must be no more than ${max} bytes`
const empty = "must be non-empty"

export const rangeText = (min: number, max: number): string => `must be between ${min} and ${max}, inclusive`

const labelText = patternText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  "my-name",
  "123-abc"
)
const dotsText = "must not contain dots"
const subdomainText = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  "example.com"
)
const underscoreSubdomainText = patternText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  underscoreSubdomain,
  "example.com"
)
const dns1035Text = patternText(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035,
  "my-name",
  "abc-123"
)
const qualifiedText = patternText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualified,
  "MyName",
  "my.name",
  "123-abc"
)
const labelValueText = patternText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  "MyValue",
  "my_value",
  "12345"
)

/** Checks the length and the pattern. */
const checkLengthAndPattern = (
  value: string,
  max: number,
  tooLong: string,
  pattern: RegExp,
  text: string
): Messages => {
  const matches = pattern.test(value)
  if (matches && value.length <= max) return noMessages
  const messages: Array<string> = []
  if (byteLength(value) > max) messages.push(tooLong)
  if (!matches) messages.push(text)
  return messages
}

/** Container names, namespaces: a DNS label of at most 63 characters. */
export const isDNS1123Label = (value: string): Messages =>
  labelPattern.test(value)
    ? checkLengthAndPattern(value, 63, tooManyCharacters(63), labelPattern, labelText)
    : // A value that is a valid subdomain has only the error about dots.
      checkLengthAndPattern(
        value,
        63,
        tooManyCharacters(63),
        labelPattern,
        subdomainPattern.test(value) ? dotsText : labelText
      )

/** Names of most objects: dot-joined labels of at most 253 characters in total; a single label may exceed 63. */
export const isDNS1123Subdomain = (value: string): Messages =>
  checkLengthAndPattern(value, 253, tooManyCharacters(253), subdomainPattern, subdomainText)

/** DNS search paths: a subdomain whose labels may contain underscores. */
export const isDNS1123SubdomainWithUnderscore = (value: string): Messages =>
  checkLengthAndPattern(value, 253, tooManyCharacters(253), underscoreSubdomainPattern, underscoreSubdomainText)

const wildcardPattern = anchored(`\\*\\.${subdomain}`)
const wildcardText = patternText(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  `\\*\\.${subdomain}`,
  "*.example.com"
)

/** Hosts of ingresses and certificates with an asterisk as their first label. */
export const isWildcardDNS1123Subdomain = (value: string): Messages =>
  checkLengthAndPattern(value, 253, tooManyCharacters(253), wildcardPattern, wildcardText)

/** Service names: a label that starts with a letter. */
export const isDNS1035Label = (value: string): Messages =>
  checkLengthAndPattern(value, 63, tooManyCharacters(63), dns1035Pattern, dns1035Text)

/** The same rule with the words of the newer package that checks keys. */
const isKeyPrefix = (value: string): Messages =>
  checkLengthAndPattern(value, 253, tooManyBytes(253), subdomainPattern, subdomainText)

/** Keys of labels and taints, and of annotations after lower-casing: `[prefix/]name`. */
export const isQualifiedName = (value: string): Messages => {
  const slash = value.indexOf("/")
  if (slash < 0) return checkNamePart(value, noMessages)
  if (value.indexOf("/", slash + 1) >= 0) {
    return [
      `a valid label key ${qualifiedText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
    ]
  }
  const prefix = value.slice(0, slash)
  const prefixMessages = prefix === "" ? [empty] : isKeyPrefix(prefix)
  return checkNamePart(
    value.slice(slash + 1),
    prefixMessages.length === 0 ? noMessages : prefixMessages.map((fault) => `prefix part ${fault}`)
  )
}

/** Returns the errors of a key's name part, after those of its prefix. */
const checkNamePart = (name: string, before: Messages): Messages => {
  const matches = qualifiedPattern.test(name)
  if (matches && name.length <= 63) return before
  const messages = [...before]
  if (name === "") messages.push(`name part ${empty}`)
  else if (byteLength(name) > 63) messages.push(`name part ${tooManyBytes(63)}`)
  if (!matches) messages.push(`name part ${qualifiedText}`)
  return messages
}

/** Values of labels and taints: empty, or at most 63 bytes of the key's alphabet. */
export const isValidLabelValue = (value: string): Messages =>
  checkLengthAndPattern(value, 63, tooManyBytes(63), labelValuePattern, labelValueText)

/** A generateName may end in a dash, because characters are appended to it. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name

/** A rule for an object's name; `prefix` says that the name is a generateName. */
export type NameRule = (name: string, prefix: boolean) => Messages

export const nameIsDNSSubdomain: NameRule = (name, prefix) => isDNS1123Subdomain(prefix ? maskTrailingDash(name) : name)
export const nameIsDNSLabel: NameRule = (name, prefix) => isDNS1123Label(prefix ? maskTrailingDash(name) : name)
export const nameIsDNS1035Label: NameRule = (name, prefix) => isDNS1035Label(prefix ? maskTrailingDash(name) : name)

/** The name rule of kinds with declarative validation, which checks the name and not the generateName. */
export const nameIsLongName: NameRule = (name, prefix) => (prefix ? [] : isKeyPrefix(name))

/** Checks that any name can be part of a URL. Upstream: pkg/api/validation/path/name.go. */
export const nameIsPathSegment: NameRule = (name, prefix) => {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`]
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

/** Returns why a client asks for no object of this name. Upstream: client-go/rest/request.go, Name. */
export const resourceNameFault = (name: string): string | undefined => {
  if (name === "") return "resource name may not be empty"
  const faults = nameIsPathSegment(name, false)
  return faults.length === 0 ? undefined : `invalid resource name ${goQuote(name)}: [${faults.join(" ")}]`
}

export const isValidPortNumber = (port: number): Messages =>
  port >= 1 && port <= 65535 ? noMessages : [rangeText(1, 65535)]

/** Names of container ports: at most 15 characters of `[-a-z0-9]` with a letter. */
export const isValidPortName = (port: string): Messages => {
  const messages: Array<string> = []
  if (byteLength(port) > 15) messages.push(tooManyCharacters(15))
  if (!/^[-a-z0-9]+$/.test(port)) {
    messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
  }
  if (!/[a-z]/.test(port)) messages.push("must contain at least one letter (a-z)")
  if (port.includes("--")) messages.push("must not contain consecutive hyphens")
  if (port.startsWith("-") || port.endsWith("-")) messages.push("must not begin or end with a hyphen")
  return messages
}

export const isValidPercent = (value: string): Messages =>
  percentPattern.test(value)
    ? noMessages
    : [patternText("a valid percent string must be a numeric string followed by an ending '%'", percent, "1%", "93%")]

export const isHTTPHeaderName = (value: string): Messages =>
  httpHeaderPattern.test(value)
    ? noMessages
    : [patternText("a valid HTTP header must consist of alphanumeric characters or '-'", httpHeader, "X-Header-Name")]

const envVarPattern = /^[ -<>-~]+$/

/** Environment variables, since 1.30: printable ASCII without `=`. */
export const isEnvVarName = (value: string): Messages => {
  if (value === "") return [`environment variable name ${empty}`]
  return envVarPattern.test(value)
    ? noMessages
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

const configMapKeyText = patternText(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configMapKey,
  "key.name",
  "KEY_NAME",
  "key-name"
)
const configMapKeyTooLong = tooManyCharacters(253)

/** Keys of ConfigMaps and Secrets. */
export const isConfigMapKey = (value: string): Messages => {
  const found = checkLengthAndPattern(value, 253, configMapKeyTooLong, configMapKeyPattern, configMapKeyText)
  if (found === noMessages && !value.startsWith(".")) return noMessages
  const messages = [...found]
  if (value === ".") messages.push("must not be '.'")
  else if (value === "..") messages.push("must not be '..'")
  else if (value.startsWith("..")) messages.push("must not start with '..'")
  return messages
}
