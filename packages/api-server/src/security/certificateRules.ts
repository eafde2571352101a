import { X509Certificate } from "node:crypto"
import type { CertificateSigningRequest, KubeObject } from "@rollcall/api"
import { type CertificateChecks, certificateSigningRequestRules } from "@rollcall/api/validation"
import { CertificateRequestFault, certificateFault, pemBlocks, readCertificateRequest } from "@rollcall/pki"
import type { KindDefinition, Part } from "../core/registry/KindDefinition.ts"

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("latin1")

const isCertificate = (bytes: Uint8Array): boolean => {
  try {
    return new X509Certificate(bytes).raw.length > 0
  } catch {
    return false
  }
}

/** Upstream: pkg/apis/certificates/validation/validation.go, validateCertificate. */
const certificatesFault = (base64: string): string | undefined => {
  const blocks = pemBlocks(textOf(base64))
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block"
  for (const { bytes, hasHeaders, type } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`
    if (hasHeaders) return "no PEM block headers are permitted"
    if (bytes.length === 0) return "found CERTIFICATE PEM block containing 0 certificates"
    if (!isCertificate(bytes)) return certificateFault(bytes) ?? "x509: malformed certificate"
  }
  return undefined
}

const checks: CertificateChecks = {
  request: (base64) => {
    const read = readCertificateRequest(textOf(base64))
    return read instanceof CertificateRequestFault ? read.message : undefined
  },
  certificates: certificatesFault
}

const rules = certificateSigningRequestRules(checks)

type Rule = (object: CertificateSigningRequest, old: CertificateSigningRequest) => ReturnType<typeof rules.create>

const ruleOf =
  (rule: Rule) =>
  (object: KubeObject, old: KubeObject): ReturnType<Rule> =>
    rule(object as CertificateSigningRequest, old as CertificateSigningRequest)

/** Returns the definition of certificate requests whose contents and signatures are checked. */
export const withCertificateChecks = (definition: KindDefinition): KindDefinition => {
  const approval = definition.parts?.approval as Part
  return {
    ...definition,
    validate: (object) => rules.create(object as CertificateSigningRequest),
    validateUpdate: ruleOf(rules.update),
    validateStatusUpdate: ruleOf(rules.updateStatus),
    parts: { ...definition.parts, approval: { ...approval, validate: ruleOf(rules.updateApproval) } }
  }
}
