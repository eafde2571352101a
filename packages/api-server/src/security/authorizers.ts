import { privilegedGroup } from "@rollcall/rbac"
import type { Authorizer, Decision, UserRules } from "../core/ports/Security.ts"

const noRules: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false }

/**
 * Allows everything to members of system:masters. It has no rules for access reviews, as upstream. Upstream:
 * authorizerfactory/builtin.go, NewPrivilegedGroups.
 */
export const superusers: Authorizer = {
  authorize: ({ user }) => ({ decision: user.groups.includes(privilegedGroup) ? "Allow" : "NoOpinion", reason: "" }),
  rulesFor: () => noRules
}

/** Allows everything to everyone: `--authorization-mode=AlwaysAllow`. */
export const alwaysAllow: Authorizer = {
  authorize: () => ({ decision: "Allow", reason: "" }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false
  })
}

/**
 * Makes an authorizer that asks others in order until one allows or denies; if none does, their reasons are joined.
 * Upstream:
 * staging/src/k8s.io/apiserver/pkg/authorization/union/union.go.
 */
export const unionOf = (authorizers: ReadonlyArray<Authorizer>): Authorizer => ({
  authorize: (request) => {
    const reasons: Array<string> = []
    const errors: Array<string> = []
    for (const authorizer of authorizers) {
      const decision = authorizer.authorize(request)
      if (decision.decision !== "NoOpinion") return decision
      if (decision.reason !== "") reasons.push(decision.reason)
      if (decision.evaluationError !== undefined) errors.push(decision.evaluationError)
    }
    const none: Decision = { decision: "NoOpinion", reason: reasons.join("\n") }
    return errors.length === 0 ? none : { ...none, evaluationError: errors.join(", ") }
  },
  rulesFor: (user, namespace) => {
    const all = authorizers.map((authorizer) => authorizer.rulesFor(user, namespace))
    const errors = all.flatMap(({ evaluationError }) => (evaluationError === undefined ? [] : [evaluationError]))
    return {
      resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
      nonResourceRules: all.flatMap(({ nonResourceRules }) => nonResourceRules),
      incomplete: all.some(({ incomplete }) => incomplete),
      ...(errors.length === 0 ? {} : { evaluationError: errors.join(", ") })
    }
  }
})
