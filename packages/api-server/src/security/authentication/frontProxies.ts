import { X509Certificate } from "node:crypto"
import { authenticatedGroup } from "@rollcall/rbac"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authentication, Authenticator, Credentials } from "../../core/ports/Security.ts"

/** The proxies that say in headers who asks. Upstream: `--requestheader-*`. */
export interface FrontProxyOptions {
  /** The CAs of their certificates, as PEM. They issue them directly. */
  readonly authorityPem: string
  /**
   * The CA of clients, as PEM, which issues their certificates directly: then no other certificate is one of a client. If
   * absent, all are but those of proxies.
   */
  readonly clientAuthorityPem?: string
  /** The common names of their certificates; any if empty. */
  readonly allowedNames: ReadonlyArray<string>
  /** The first of these headers that has a value names the user. */
  readonly userHeaders: ReadonlyArray<string>
  /** The first of these headers that has a value is the UID of the user. */
  readonly uidHeaders?: ReadonlyArray<string>
  readonly groupHeaders: ReadonlyArray<string>
  readonly extraPrefixes: ReadonlyArray<string>
}

/** Returns the values of each header, by its name in lower case, in the order in which they came. */
const headerValues = (rawHeaders: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const values = new Map<string, Array<string>>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ""
    // A header carries bytes, which are UTF-8 to Go, and Node shows them as Latin-1.
    const value = Buffer.from(rawHeaders[index + 1] ?? "", "latin1").toString()
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return values
}

const decodedKey = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

const anonymousUser = "system:anonymous"
const unauthenticatedGroup = "system:unauthenticated"

/** Upstream: apiserver/pkg/authentication/group/authenticated_group_adder.go. */
const withAuthenticated = (user: string, groups: ReadonlyArray<string>): ReadonlyArray<string> =>
  user === anonymousUser || groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)
    ? groups
    : [...groups, authenticatedGroup]

/** Returns the user that the headers of a proxy name. */
const namedUser = (options: FrontProxyOptions, rawHeaders: ReadonlyArray<string>): UserInfo | undefined => {
  const values = headerValues(rawHeaders)
  const all = (name: string) => values.get(name.toLowerCase()) ?? []
  const firstOf = (names: ReadonlyArray<string>) => names.map((name) => all(name)[0] ?? "").find((name) => name !== "")
  const user = firstOf(options.userHeaders)
  if (user === undefined) return undefined
  const uid = firstOf(options.uidHeaders ?? [])
  const groups = options.groupHeaders.flatMap((name) => all(name).filter((group) => group !== ""))
  const extra = new Map<string, ReadonlyArray<string>>()
  for (const prefix of options.extraPrefixes.map((each) => each.toLowerCase())) {
    for (const [name, found] of values) {
      if (!name.startsWith(prefix)) continue
      const key = decodedKey(name.slice(prefix.length))
      extra.set(key, [...(extra.get(key) ?? []), ...found])
    }
  }
  return {
    user,
    groups: withAuthenticated(user, groups),
    ...(uid === undefined ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) })
  }
}

/** Returns whether an authority of a PEM issued a certificate itself. */
const issuedBy = (pem: string) => {
  const texts = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const authorities = texts.map((text) => new X509Certificate(text))
  return (certificate: X509Certificate): boolean =>
    authorities.some((authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey))
}

/** Returns whether a certificate is one of a proxy, and not one of a client. */
export const isOfProxy = ({
  authorityPem,
  clientAuthorityPem
}: Pick<FrontProxyOptions, "authorityPem" | "clientAuthorityPem">) => {
  if (clientAuthorityPem === undefined) return issuedBy(authorityPem)
  const isClients = issuedBy(clientAuthorityPem)
  return (certificate: X509Certificate): boolean => !isClients(certificate)
}

interface KnownProxy {
  readonly isAllowed: boolean
  /** When the certificate expires, in milliseconds since the Unix epoch. */
  readonly untilMs: number
}

const nameOf = ({ subject }: X509Certificate): string => /^CN=(.*)$/m.exec(subject)?.[1] ?? ""

/**
 * Authenticates the users for whom proxies ask: the certificate is the proxy's, the headers are the user's. Anybody
 * else's headers count for nothing. Upstream: apiserver/pkg/authentication/request/headerrequest.
 */
export const frontProxies = (options: FrontProxyOptions, now: () => number): Authenticator => {
  const isIssued = issuedBy(options.authorityPem)
  const userHeaders = options.userHeaders.map((name) => name.toLowerCase())
  const known = new WeakMap<Uint8Array, KnownProxy>()
  const proxyOf = (der: Uint8Array): KnownProxy => {
    const certificate = new X509Certificate(der)
    const isNamed = options.allowedNames.length === 0 || options.allowedNames.includes(nameOf(certificate))
    const proxy = { isAllowed: isNamed && isIssued(certificate), untilMs: certificate.validToDate.getTime() }
    known.set(der, proxy)
    return proxy
  }
  return {
    authenticate: ({ certificate, headers, rawHeaders = [] }: Credentials): Authentication => {
      if (certificate === undefined || userHeaders.every((name) => !headers[name])) return undefined
      const { isAllowed, untilMs } = known.get(certificate) ?? proxyOf(certificate)
      return isAllowed && now() <= untilMs ? namedUser(options, rawHeaders) : undefined
    }
  }
}
