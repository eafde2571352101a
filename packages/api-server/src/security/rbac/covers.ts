import type { PolicyRule } from "@rollcall/api"

/**
 * What of the rules to be given is not contained in what somebody has: each smallest part must lie within one rule that they have.
 * Upstream: staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export const uncovered = (
  held: ReadonlyArray<PolicyRule>,
  given: ReadonlyArray<PolicyRule>
): ReadonlyArray<PolicyRule> => {
  const missing: Array<PolicyRule> = []
  let room = MAX_PARTS
  for (const rule of given) {
    if (held.some((own) => covers(own, rule))) continue
    room -= partsOf(rule)
    // Too many to look at each: one that nobody holds as it stands counts as not held.
    if (room < 0) return [...missing, rule]
    for (const part of broken(rule)) if (!held.some((own) => covers(own, part))) missing.push(part)
  }
  return missing
}

/** How many combinations of the rules of one role are looked at: three lists of a thousand entries have a billion. */
const MAX_PARTS = 10_000

const partsOf = ({ apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs }: PolicyRule) =>
  verbs.length * (apiGroups.length * resources.length * Math.max(resourceNames.length, 1) + nonResourceURLs.length)

/** One rule for each combination of group, resource, verb and name, or of path and verb. */
const broken = ({ apiGroups = [], nonResourceURLs = [], resourceNames = [], resources = [], verbs }: PolicyRule) => {
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

const covers = (rule: PolicyRule, part: PolicyRule): boolean => {
  const names = rule.resourceNames ?? []
  return (
    all(rule.verbs, part.verbs) &&
    all(rule.apiGroups, part.apiGroups) &&
    (part.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    (part.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((own) => coversPath(own, url))) &&
    (names.length === 0 || ((part.resourceNames ?? []).length > 0 && all(names, part.resourceNames)))
  )
}

const all = (held: ReadonlyArray<string> = [], wanted: ReadonlyArray<string> = []): boolean => {
  if (held.includes("*")) return true
  const own = wanted.length > 1 ? new Set(held) : undefined
  return wanted.every((one) => own?.has(one) ?? held.includes(one))
}

const coversResource = (held: ReadonlyArray<string>, resource: string): boolean => {
  if (held.includes("*") || held.includes(resource)) return true
  const slash = resource.indexOf("/")
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`)
}

const coversPath = (own: string, url: string): boolean =>
  own === url || (own.endsWith("*") && url.startsWith(own.slice(0, -1)))

/** The parts as a person is told of them: those of one resource together, each on a line, in order. */
export const describeRules = (rules: ReadonlyArray<PolicyRule>): string =>
  [...new Set(compacted(rules).map(describe))].sort().join("\n")

const compacted = (rules: ReadonlyArray<PolicyRule>): ReadonlyArray<PolicyRule> => {
  const simple = new Map<string, PolicyRule>()
  for (const rule of rules) {
    const { verbs, ...about } = rule
    const key = JSON.stringify(about.nonResourceURLs === undefined ? about : rule)
    const known = simple.get(key)
    simple.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...verbs] })
  }
  return [...simple.values()]
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
