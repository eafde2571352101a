import { createHash, X509Certificate } from "node:crypto"
// Node 24 leaves `tls.createSecureContext` undefined for good when `toLegacyObject` is called before this module is loaded.
import "node:tls"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { Authentication, Authenticator } from "../../core/ports/Security.ts"
import { authenticatedGroup } from "../identity.ts"

/** How many certificates are remembered beside those that connections hold on to. */
const REMEMBERED = 10_000

interface Known {
  /** Undefined: it names nobody. */
  readonly user: UserInfo | undefined
  readonly untilMs: number
}

/**
 * Who a client certificate names: its common name is the user, its organizations are the groups. TLS has verified it when the
 * connection was made; that it has not ended since is looked at again. One certificate gives one value, which others may keep
 * things by. Upstream: staging/src/k8s.io/apiserver/pkg/authentication/request/x509/x509.go.
 */
export const clientCertificates = (now: () => number): Authenticator => {
  const held = new WeakMap<Uint8Array, Known>()
  const remembered = new Map<string, Known>()
  const learn = (certificate: Uint8Array): Known => {
    const fingerprint = createHash("sha256").update(certificate).digest("hex")
    const before = remembered.get(fingerprint)
    const known = before ?? read(certificate, fingerprint)
    if (before === undefined) {
      if (remembered.size >= REMEMBERED) remembered.clear()
      remembered.set(fingerprint, known)
    }
    held.set(certificate, known)
    return known
  }
  return {
    authenticate: ({ certificate }): Authentication => {
      if (certificate === undefined) return undefined
      const { untilMs, user } = held.get(certificate) ?? learn(certificate)
      return untilMs < now() ? "invalid" : user
    }
  }
}

const read = (der: Uint8Array, fingerprint: string): Known => {
  const certificate = new X509Certificate(der)
  const { CN, O } = certificate.toLegacyObject().subject as { readonly CN?: OneOrMore; readonly O?: OneOrMore }
  const [name = ""] = listOf(CN)
  const untilMs = certificate.validToDate.getTime()
  if (name === "") return { user: undefined, untilMs }
  const groups = [...listOf(O).filter((group) => group !== authenticatedGroup), authenticatedGroup]
  const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] }
  return { user: { user: name, groups, extra }, untilMs }
}

type OneOrMore = string | ReadonlyArray<string> | undefined

const listOf = (value: OneOrMore): ReadonlyArray<string> => {
  if (value === undefined) return []
  return typeof value === "string" ? [value] : value
}
