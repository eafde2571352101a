import type { Distribution, MetricSet, Value } from "@rollcall/time"
import type { Decision } from "../../core/ports/Security.ts"
import { accessFamilies } from "./accessFamilies.ts"
import { requestFamilies } from "./requestFamilies.ts"
import { userClass } from "./requestLabels.ts"

/** The results of authentication: no credential, or an invalid one, fails. */
export type AuthenticationResult = "success" | "failure" | "error"

type AuthorizationResult = "allowed" | "denied" | "no-opinion" | "error"

type Filter = "authentication" | "authorization" | "impersonation" | "priorityandfairness"

/** A count and the durations of it. */
interface Measured {
  readonly count: Value
  readonly durations: Distribution
}

const resultOf = ({ decision, evaluationError }: Decision): AuthorizationResult => {
  if (decision === "Allow") return "allowed"
  if (evaluationError !== undefined) return "error"
  return decision === "Deny" ? "denied" : "no-opinion"
}

/** Counts and measures who calls, and what is allowed. Upstream: apiserver/pkg/endpoints/filters/metrics.go. */
export class AccessMetrics {
  private readonly set: MetricSet
  private readonly authentications = new Map<AuthenticationResult, Measured>()
  private readonly authorizations = new Map<AuthorizationResult, Measured>()
  private readonly users = new Map<string, Value>()
  private readonly filters: Readonly<Record<Filter, Distribution>>

  constructor(set: MetricSet) {
    this.set = set
    const filters = set.distributions(requestFamilies.filterDurations)
    const filter = (name: string) => filters.with({ filter: name })
    this.filters = {
      authentication: filter("authentication"),
      authorization: filter("authorization"),
      impersonation: filter("constrainedimpersonation"),
      priorityandfairness: filter("priorityandfairness")
    }
  }

  /** Records an authentication, and the user if it has one. */
  authenticated(result: AuthenticationResult, user: string | undefined, seconds: number): void {
    let measured = this.authentications.get(result)
    if (measured === undefined) {
      measured = {
        count: this.set.values(accessFamilies.attempts).with({ result }),
        durations: this.set.distributions(accessFamilies.authenticationDurations).with({ result })
      }
      this.authentications.set(result, measured)
    }
    measured.count.add()
    measured.durations.observe(seconds)
    this.filters.authentication.observe(seconds)
    if (user !== undefined) this.userOf(user).add()
  }

  /** Records an authorization. */
  authorized(decision: Decision, seconds: number): void {
    const result = resultOf(decision)
    let measured = this.authorizations.get(result)
    if (measured === undefined) {
      measured = {
        count: this.set.values(accessFamilies.authorizations).with({ result }),
        durations: this.set.distributions(accessFamilies.authorizationDurations).with({ result })
      }
      this.authorizations.set(result, measured)
    }
    measured.count.add()
    measured.durations.observe(seconds)
    this.filters.authorization.observe(seconds)
  }

  /** Records an impersonation. */
  impersonated(isAllowed: boolean, seconds: number): void {
    const decision = isAllowed ? "allowed" : "denied"
    this.set.values(accessFamilies.impersonations).with({ mode: "user-info", decision }).add()
    this.filters.impersonation.observe(seconds)
  }

  /** Records how long a request waited in flow control. */
  waited(seconds: number): void {
    this.filters.priorityandfairness.observe(seconds)
  }

  private userOf(user: string): Value {
    const username = userClass(user)
    let count = this.users.get(username)
    if (count === undefined) {
      count = this.set.values(accessFamilies.userRequests).with({ username })
      this.users.set(username, count)
    }
    return count
  }
}
