import type { PolicyRule } from "@rollcall/api"
import { makeSubtract } from "./coverage.ts"

/**
 * Returns the part of the given rules that the held rules do not contain; none if the user holds them all. Upstream
 * breaks the given rules into single permissions and looks for each in the held rules; three lists of a thousand entries
 * have a billion of them. Here the held rules are subtracted from a rule list by list (`makeSubtract`).
 * Upstream: staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export const uncovered = (
  held: ReadonlyArray<PolicyRule>,
  given: ReadonlyArray<PolicyRule>
): ReadonlyArray<PolicyRule> => {
  const subtract = makeSubtract(held)
  let partsLeft = MAX_PARTS
  return given.flatMap((rule) =>
    subtract(rule).flatMap((missing) => {
      partsLeft -= partsOf(missing)
      return partsLeft < 0 ? [missing] : smallestParts(missing)
    })
  )
}

/** Up to this many missing permissions are returned one by one, as upstream does; further ones as whole rules. */
const MAX_PARTS = 10_000

/** Returns the number of single permissions in a rule. */
const partsOf = ({ apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs }: PolicyRule) =>
  verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)

/** Returns one rule for each combination of group, resource, verb and name, or of path and verb. */
const smallestParts = ({
  apiGroups = [],
  nonResourceURLs = [],
  resourceNames = [],
  resources = [],
  verbs
}: PolicyRule) => {
  const parts: Array<PolicyRule> = []
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) parts.push(part)
        else for (const name of resourceNames) parts.push({ ...part, resourceNames: [name] })
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] })
  return parts
}

/** Formats the rules for a message: those of one resource together, one line each, in order. */
export const describeRules = (rules: ReadonlyArray<PolicyRule>): string =>
  [...new Set(mergeVerbs(rules).map(describe))].sort().join("\n")

/** Merges rules that differ only in their verbs, except rules for paths. */
const mergeVerbs = (rules: ReadonlyArray<PolicyRule>): ReadonlyArray<PolicyRule> => {
  const byResource = new Map<string, PolicyRule>()
  for (const rule of rules) {
    const { verbs, ...about } = rule
    const key = JSON.stringify(about.nonResourceURLs === undefined ? about : rule)
    const known = byResource.get(key)
    byResource.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...verbs] })
  }
  return [...byResource.values()]
}

const quoted = (texts: ReadonlyArray<string>): string => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`

const describe = ({ apiGroups, nonResourceURLs, resourceNames, resources, verbs }: PolicyRule): string => {
  const parts = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["NonResourceURLs", nonResourceURLs],
    ["ResourceNames", resourceNames],
    ["Verbs", verbs]
  ] as const
  const given = parts.flatMap(([name, texts]) => (texts?.length ? [`${name}:${quoted(texts)}`] : []))
  return `{${given.join(", ")}}`
}
