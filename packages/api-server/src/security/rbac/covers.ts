import type { PolicyRule } from "@rollcall/api"

/**
 * Whether what somebody has contains what is to be given: each of its smallest parts must lie within one rule that they have.
 * Upstream: staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.
 */
export const uncovered = (
  held: ReadonlyArray<PolicyRule>,
  given: ReadonlyArray<PolicyRule>
): ReadonlyArray<PolicyRule> => given.flatMap(broken).filter((part) => !held.some((rule) => covers(rule, part)))

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

const all = (held: ReadonlyArray<string> = [], wanted: ReadonlyArray<string> = []): boolean =>
  held.includes("*") || wanted.every((one) => held.includes(one))

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
