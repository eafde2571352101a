import { type CertificateSigningRequestSpec, formatTime } from "@rollcall/api"
import * as Result from "effect/Result"
import type { SigningTerms } from "./CertificateKeys.ts"

const MINUTE_MS = 60_000
/** How long before now a certificate starts. */
const BACKDATE_MS = 5 * MINUTE_MS
/** A certificate of a shorter validity does not end earlier because it starts earlier. */
const SHORT_MS = 480 * MINUTE_MS
const MIN_MS = 10 * MINUTE_MS

/** Returns the validity that a signer grants to a request. Upstream: signer.go, duration. */
export const grantedMs = (expirationSeconds: number | undefined, longestMs: number): number => {
  const asked = expirationSeconds === undefined ? longestMs : expirationSeconds * 1000
  return asked > longestMs ? longestMs : expirationSeconds === undefined ? longestMs : Math.max(asked, MIN_MS)
}

/** A time as Go prints it, to the second. */
const goTime = (ms: number): string => `${formatTime(ms).slice(0, 19).replace("T", " ")} +0000 UTC`

/**
 * Returns the terms for a request that is signed now, which end with the authority at the latest. Upstream:
 * authority/policies.go, PermissiveSigningPolicy.
 */
export const signingTerms = (
  { expirationSeconds, usages = [] }: Pick<CertificateSigningRequestSpec, "expirationSeconds" | "usages">,
  nowMs: number,
  longestMs: number,
  authorityEndMs: number
): Result.Result<SigningTerms, string> => {
  const validMs = grantedMs(expirationSeconds, longestMs)
  const notBeforeMs = nowMs - BACKDATE_MS
  const notAfterMs = Math.min(nowMs + validMs - (validMs < SHORT_MS ? 0 : BACKDATE_MS), authorityEndMs)
  if (notBeforeMs >= authorityEndMs) return Result.fail(`the signer has expired: NotAfter=${goTime(authorityEndMs)}`)
  if (nowMs >= authorityEndMs) {
    return Result.fail(`refusing to sign a certificate that expired in the past: NotAfter=${goTime(authorityEndMs)}`)
  }
  return Result.succeed({ usages, notBeforeMs, notAfterMs })
}
