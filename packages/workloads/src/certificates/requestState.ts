import type { CertificateSigningRequest } from "@rollcall/api"
import { parseTime } from "@rollcall/api"

const HOUR_MS = 3_600_000
const HANDLED_MS = HOUR_MS
const PENDING_MS = 24 * HOUR_MS

export const conditionsOf = ({ status }: CertificateSigningRequest) => status?.conditions ?? []

const hasCondition = (request: CertificateSigningRequest, type: string): boolean =>
  conditionsOf(request).some((condition) => condition.type === type)

export const isIssued = ({ status }: CertificateSigningRequest): boolean => (status?.certificate ?? "") !== ""

export const isDecided = (request: CertificateSigningRequest): boolean =>
  hasCondition(request, "Approved") || hasCondition(request, "Denied")

/** Whether a request is approved, not denied, and no signer has failed. Upstream: certificate_controller_utils.go. */
export const isToBeSigned = (request: CertificateSigningRequest): boolean =>
  hasCondition(request, "Approved") &&
  !hasCondition(request, "Denied") &&
  !conditionsOf(request).some(({ status, type }) => type === "Failed" && (status === "" || status === "True"))

/**
 * Whether a request is old enough to be deleted: an hour after it was handled, a day after it was created or approved
 * without being handled, or when its certificate has ended. Upstream: pkg/controller/certificates/cleaner/cleaner.go.
 */
export const isPastDeadline = (
  request: CertificateSigningRequest,
  nowMs: number,
  endOf: (certificate: string) => number | undefined
): boolean => {
  const isOlder = (time: string | null | undefined, ageMs: number): boolean =>
    time !== undefined && time !== null && nowMs - parseTime(time) > ageMs
  const conditions = conditionsOf(request)
  if (conditions.length === 0 && isOlder(request.metadata.creationTimestamp, PENDING_MS)) return true
  const certificate = request.status?.certificate ?? ""
  const end = certificate === "" ? undefined : endOf(certificate)
  return conditions.some(({ lastUpdateTime, type }) => {
    if (type === "Denied" || type === "Failed") return isOlder(lastUpdateTime, HANDLED_MS)
    if (type !== "Approved") return false
    if (certificate === "") return isOlder(lastUpdateTime, PENDING_MS)
    return isOlder(lastUpdateTime, HANDLED_MS) || (end !== undefined && nowMs > end)
  })
}
