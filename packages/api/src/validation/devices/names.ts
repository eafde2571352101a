import type { ErrorList } from "../ErrorList.ts"
import { typed } from "../FieldError.ts"
import { byteLength, isDNS1123Label, isDNS1123Subdomain, patternText } from "../names.ts"
import { validateCSIDriverName } from "../volumes.ts"

/** The limits of the names of devices and their attributes. Upstream: staging/src/k8s.io/api/resource/v1/types.go. */
const maxPoolBytes = 253
const maxIdentifierBytes = 32
const maxDomainBytes = 63

/** The longest name of an attribute, with its domain. */
export const maxQualifiedName = maxDomainBytes + 1 + maxIdentifierBytes

export const checkDriver = validateCSIDriverName

export const checkLabel = (errors: ErrorList, name: string, at: string): void =>
  errors.invalidEach(at, name, isDNS1123Label(name))

export const checkPool = (errors: ErrorList, name: string, at: string): void => {
  if (name === "") {
    errors.required(at)
    return
  }
  if (byteLength(name) > maxPoolBytes) errors.tooLong(at, maxPoolBytes)
  for (const part of name.split("/")) errors.invalidEach(at, part, isDNS1123Subdomain(part))
}

const identifier = "[A-Za-z_][A-Za-z0-9_]*"
const identifierPattern = new RegExp(`^${identifier}$`)
const identifierText = patternText(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  identifier,
  "my_name",
  "MY_NAME",
  "MyName"
)

const checkIdentifier = (errors: ErrorList, name: string, at: string): void => {
  if (byteLength(name) > maxIdentifierBytes) errors.tooLong(at, maxIdentifierBytes)
  if (!identifierPattern.test(name)) errors.invalid(at, name, identifierText)
}

/** Checks the name of an attribute or a capacity: an identifier, perhaps with a domain before it. */
export const checkQualifiedName = (errors: ErrorList, name: string, at: string): void => {
  const [domain = "", inner, ...rest] = name.split("/")
  if (inner === undefined) {
    checkIdentifier(errors, domain, at)
    return
  }
  if (rest.length > 0) return
  if (domain === "") errors.invalid(at, "", "the domain must not be empty")
  else checkDriver(errors, domain, at)
  if (inner === "") errors.invalid(at, "", "the name must not be empty")
  else checkIdentifier(errors, inner, at)
}

export const checkFullyQualifiedName = (errors: ErrorList, name: string, at: string): void => {
  checkQualifiedName(errors, name, at)
  if (!name.includes("/")) {
    errors.invalid(at, typed(name), "a fully qualified name must be a domain and a name separated by a slash")
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns Go's error about a text that is no UUID. Upstream: github.com/google/uuid, Validate. */
const uuidFault = (text: string): string | undefined => {
  const length = byteLength(text)
  if (length === 36) return uuid.test(text) ? undefined : "invalid UUID format"
  if (length === 36 + 9) {
    if (text.slice(0, 9).toLowerCase() !== "urn:uuid:") return `invalid urn prefix: ${JSON.stringify(text.slice(0, 9))}`
    return uuid.test(text.slice(9)) ? undefined : "invalid UUID format"
  }
  if (length === 36 + 2) {
    if (!text.startsWith("{") || !text.endsWith("}")) return "invalid bracketed UUID format"
    return uuid.test(text.slice(1, -1)) ? undefined : "invalid UUID format"
  }
  if (length === 32) return /^[0-9a-f]{32}$/i.test(text) ? undefined : "invalid UUID format"
  return `invalid UUID length: ${length}`
}

export const checkUid = (errors: ErrorList, uid: string, at: string): void => {
  const fault = uuidFault(uid)
  if (fault !== undefined) errors.invalid(at, uid, `error validating uid: ${fault}`)
  else if (uid.length !== 36 || uid !== uid.toLowerCase()) {
    errors.invalid(
      at,
      uid,
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters"
    )
  }
}
