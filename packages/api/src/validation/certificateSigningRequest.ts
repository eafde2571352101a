import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition
} from "../objects/CertificateSigningRequest.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, typed } from "./FieldError.ts"
import { goQuote } from "./goFormat.ts"
import { validateObjectMeta, validateObjectMetaUpdate } from "./metadata.ts"
import { byteLength, isDNS1123Label, isDNS1123Subdomain } from "./names.ts"
import { semanticEqual } from "./semanticEqual.ts"

/** Reads what a request contains; a part that loads no cryptography accepts all. Each returns what is wrong. */
export interface CertificateChecks {
  /** Checks a request, in base64 of PEM, and its signature. */
  readonly request: (base64: string) => string | undefined
  /** Checks certificates, in base64 of PEM. */
  readonly certificates: (base64: string) => string | undefined
}

const noChecks: CertificateChecks = { request: () => undefined, certificates: () => undefined }

/** Upstream: staging/src/k8s.io/api/certificates/v1/types.go, KeyUsage; sorted, as errors list them. */
const usages: ReadonlyArray<string> = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping"
]

const checkUsages = (errors: ErrorList, given: ReadonlyArray<string>, before: ReadonlyArray<string>): void => {
  if (given.length === 0) errors.required("spec.usages")
  if (before.every((usage) => usages.includes(usage))) {
    given.forEach((usage, index) => {
      if (!usages.includes(usage)) errors.notSupported(`spec.usages[${index}]`, usage, usages)
    })
  }
  if (new Set(before).size < before.length) return
  const seen = new Set<string>()
  given.forEach((usage, index) => {
    if (seen.has(usage)) errors.duplicate(`spec.usages[${index}]`, typed(usage))
    seen.add(usage)
  })
}

const maxDomainBytes = 253
const maxPathBytes = maxDomainBytes + 63 + 1

const checkLabels = (
  errors: ErrorList,
  text: string,
  at: string,
  check: (label: string) => ReadonlyArray<string>
): void => {
  const label = text.split(".").find((each) => check(each).length > 0)
  if (label === undefined) return
  for (const message of check(label)) errors.invalid(at, text, `validating label ${goQuote(label)}: ${message}`)
}

/** Checks a domain and a path. Upstream: pkg/apis/core/validation/names.go, ValidateSignerName. */
const checkSigner = (errors: ErrorList, signer: string): void => {
  const at = "spec.signerName"
  if (signer === "") {
    errors.required(at)
    return
  }
  const [domain = "", path, ...rest] = signer.split("/")
  if (path === undefined || rest.length > 0) {
    errors.invalid(at, signer, "must be a fully qualified domain and path of the form 'example.com/signer-name'")
    return
  }
  if (byteLength(domain) > maxDomainBytes) errors.tooLong(at, maxDomainBytes)
  checkLabels(errors, domain, at, isDNS1123Label)
  if (!domain.includes(".")) {
    errors.invalid(at, domain, "should be a domain with at least two segments separated by dots")
  }
  checkLabels(errors, path, at, isDNS1123Subdomain)
  const longest = maxDomainBytes + maxPathBytes + 1
  if (byteLength(signer) > longest) errors.tooLong(at, longest)
}

type Conditions = ReadonlyArray<CertificateSigningRequestCondition>

const conditionsOf = ({ status }: CertificateSigningRequest): Conditions => status?.conditions ?? []

const lasting: ReadonlyArray<string> = ["Approved", "Denied", "Failed"]
const statuses: ReadonlyArray<string> = ["False", "True", "Unknown"]

const typesOf = (conditions: Conditions): ReadonlyArray<string> => conditions.map(({ type }) => type)

const checkConditions = (errors: ErrorList, conditions: Conditions, before: ReadonlyArray<string>): void => {
  const at = "status.conditions"
  const isBothAllowed = before.includes("Approved") && before.includes("Denied")
  const isEmptyAllowed = before.includes("")
  const isDuplicateAllowed = new Set(before).size < before.length
  const seen = new Set<string>()
  conditions.forEach(({ status, type }, index) => {
    if (type === "" && !isEmptyAllowed) errors.required(`${at}[${index}].type`)
    const allowed = lasting.includes(type) ? ["True"] : statuses
    if (status === "") errors.required(`${at}[${index}].status`)
    else if (!allowed.includes(status)) errors.notSupported(`${at}[${index}].status`, status, allowed)
    const other = type === "Approved" ? "Denied" : "Approved"
    if ((type === "Approved" || type === "Denied") && seen.has(other) && !isBothAllowed) {
      errors.invalid(at, typed(type), "Approved and Denied conditions are mutually exclusive")
    }
    if (seen.has(type) && !isDuplicateAllowed) errors.duplicate(`${at}[${index}].type`, typed(type))
    seen.add(type)
  })
}

const legacySigner = "kubernetes.io/legacy-unknown"
const shortestSeconds = 600

const checkAll = (
  errors: ErrorList,
  object: CertificateSigningRequest,
  old: CertificateSigningRequest | undefined,
  checks: CertificateChecks
): void => {
  const { expirationSeconds, request, signerName } = object.spec
  validateObjectMeta(errors, object.metadata, { namespaced: false, name: () => [], standardFinalizers: true })
  const fault = checks.request(request ?? "")
  if (fault !== undefined) errors.invalid("spec.request", request, fault)
  checkUsages(errors, object.spec.usages ?? [], old?.spec.usages ?? [])
  if (signerName === legacySigner && old?.spec.signerName !== legacySigner) {
    errors.invalid("spec.signerName", signerName, "the legacy signerName is not allowed via this API version")
  } else checkSigner(errors, signerName)
  if (expirationSeconds !== undefined && expirationSeconds < shortestSeconds) {
    const detail = "may not specify a duration less than 600 seconds (10 minutes)"
    errors.invalid("spec.expirationSeconds", expirationSeconds, detail)
  }
  checkConditions(errors, conditionsOf(object), old === undefined ? [] : typesOf(conditionsOf(old)))
  const { certificate } = object.status ?? {}
  if (certificate === undefined || certificate === "" || certificate === old?.status?.certificate) return
  const certificateFault = checks.certificates(certificate)
  if (certificateFault !== undefined) errors.invalid("status.certificate", "<certificate data>", certificateFault)
}

/** What an update may set: nothing of the status, the certificate, or who approves. */
type Settable = "nothing" | "certificate" | "approval"

const checkKept = (errors: ErrorList, object: CertificateSigningRequest, old: CertificateSigningRequest): void => {
  for (const type of lasting) {
    const count = (conditions: Conditions) => conditions.filter((each) => each.type === type).length
    if (count(conditionsOf(object)) < count(conditionsOf(old))) {
      errors.forbidden("status.conditions", `updates may not remove a condition of type ${goQuote(type)}`)
    }
  }
}

const checkApproval = (errors: ErrorList, object: CertificateSigningRequest, old: CertificateSigningRequest): void => {
  for (const type of ["Approved", "Denied"]) {
    const now = conditionsOf(object).filter((each) => each.type === type)
    const before = conditionsOf(old).filter((each) => each.type === type)
    if (now.length > before.length) {
      errors.forbidden("status.conditions", `updates may not add a condition of type ${goQuote(type)}`)
    } else if (now.length === before.length && !semanticEqual(now, before)) {
      errors.forbidden("status.conditions", `updates may not modify a condition of type ${goQuote(type)}`)
    }
  }
}

const updateWith =
  (settable: Settable, checks: CertificateChecks) =>
  (object: CertificateSigningRequest, old: CertificateSigningRequest): FieldErrors => {
    const errors = new ErrorList()
    checkAll(errors, object, old, checks)
    checkKept(errors, object, old)
    if (settable !== "approval") checkApproval(errors, object, old)
    const before = old.status?.certificate ?? ""
    if ((object.status?.certificate ?? "") !== before) {
      if (settable !== "certificate") errors.forbidden("status.certificate", "updates may not set certificate content")
      else if (before !== "") {
        errors.forbidden("status.certificate", "updates may not modify existing certificate content")
      }
    }
    validateObjectMetaUpdate(errors, object.metadata, old.metadata, { standardFinalizers: true })
    return errors.all
  }

/** Makes the rules of requests. Upstream: pkg/apis/certificates/validation/validation.go. */
export const certificateSigningRequestRules = (checks: CertificateChecks = noChecks) => ({
  create: (object: CertificateSigningRequest): FieldErrors => {
    const errors = new ErrorList()
    checkAll(errors, object, undefined, checks)
    return errors.all
  },
  update: updateWith("nothing", checks),
  updateStatus: updateWith("certificate", checks),
  updateApproval: updateWith("approval", checks)
})
