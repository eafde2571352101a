import { formatTime, parseTime, type Secret, type ServiceAccount } from "@rollcall/api"

/** Upstream: pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go. */

const LAST_USED = "kubernetes.io/legacy-token-last-used"
export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"

const DAY_MS = 86_400_000

/** The day of a time, `2026-01-15`. */
export const dayOf = (ms: number): string => formatTime(ms).slice(0, 10)

/** Reads a day as the time at which it begins; undefined if it is none. */
export const readDay = (text: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = parseTime(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || dayOf(ms) !== text ? undefined : ms
}

/** What happens to a Secret with a token. */
export type TokenVerdict =
  | { readonly do: "keep" }
  | { readonly do: "mark"; readonly since: string }
  | { readonly do: "delete"; readonly lastUsed: string; readonly since: string }
  | { readonly do: "report"; readonly error: string }

/** What is known of a token's surroundings. */
export interface TokenContext {
  readonly now: number
  readonly cleanUpPeriodMs: number
  /** The account of the token, if it exists and has the token's UID. */
  readonly account: ServiceAccount | undefined
  /** Whether a pod of the namespace names the Secret. */
  readonly isMounted: () => boolean
}

const keep: TokenVerdict = { do: "keep" }

/** Says when tokens may be judged: a clean-up period after the day on which their uses were tracked first. */
export const trackedLongEnough = (since: number, now: number, cleanUpPeriodMs: number): boolean =>
  now >= since + DAY_MS + cleanUpPeriodMs

/**
 * Decides about a token that a controller once generated for an account. If it was not used for the clean-up period, it
 * is marked as invalid; a clean-up period later it is deleted. Tokens that people made, which accounts do not list, stay.
 */
export const judgeToken = (
  { metadata, type }: Secret,
  { account, cleanUpPeriodMs, isMounted, now }: TokenContext
): TokenVerdict => {
  const { creationTimestamp, deletionTimestamp, labels = {}, name } = metadata
  const preserveFrom = now - cleanUpPeriodMs
  const createdAt = creationTimestamp === undefined ? Number.NEGATIVE_INFINITY : parseTime(creationTimestamp)
  if (type !== "kubernetes.io/service-account-token" || createdAt >= preserveFrom) return keep
  if (deletionTimestamp !== undefined) return keep
  const lastUsed = labels[LAST_USED]
  if (lastUsed !== undefined) {
    if (readDay(lastUsed) === undefined) {
      return { do: "report", error: `parsing time ${JSON.stringify(lastUsed)} as "2006-01-02": cannot parse` }
    }
    if (lastUsed >= dayOf(preserveFrom)) return keep
  }
  if (account?.secrets?.some((secret) => secret.name === name) !== true || isMounted()) return keep
  const since = labels[INVALID_SINCE] ?? ""
  if (readDay(since) === undefined) return { do: "mark", since: dayOf(now) }
  return since >= dayOf(preserveFrom) ? keep : { do: "delete", lastUsed: lastUsed ?? "", since }
}
