import type { PolicyRule } from "@rollcall/api"

/** The maximum number of list entries to check for the rules of one role. Unchecked parts count as not held. */
const MAX_WORK = 500_000

/**
 * The permissions of a rule: all combinations of one entry of each list. The lists are groups, resources, verbs and
 * names, or paths and verbs.
 */
type Box = ReadonlyArray<ReadonlyArray<string>>
/** For each list of a box, which of its entries a held rule allows. */
type Tests = ReadonlyArray<(entry: string) => boolean>

/** Stands for all names in a box, for a rule without names. It is not a valid name. */
const ALL_NAMES = "\u0000"

const unique = (texts: ReadonlyArray<string> = []): ReadonlyArray<string> => [...new Set(texts)]

const resourceBox = ({ apiGroups, resourceNames, resources, verbs }: PolicyRule): Box => [
  unique(apiGroups),
  unique(resources),
  unique(verbs),
  (resourceNames ?? []).length === 0 ? [ALL_NAMES] : unique(resourceNames)
]

const pathBox = ({ nonResourceURLs, verbs }: PolicyRule): Box => [unique(nonResourceURLs), unique(verbs)]

const ruleOf = (box: Box): PolicyRule => {
  const [first = [], second = [], verbs, names = []] = box
  if (verbs === undefined) return { nonResourceURLs: first, verbs: second }
  const rule = { apiGroups: first, resources: second, verbs }
  return names[0] === ALL_NAMES ? rule : { ...rule, resourceNames: names }
}

/** A held rule, prepared for many checks. */
interface HeldRule {
  readonly resources: Tests
  readonly paths: Tests
  /** The number of paths that checking one path compares. */
  readonly pathWork: number
}

const heldRuleOf = ({ apiGroups, nonResourceURLs, resourceNames, resources, verbs }: PolicyRule): HeldRule => {
  const among = (texts: ReadonlyArray<string> | undefined) => {
    const all = new Set(texts)
    return (entry: string) => all.has("*") || all.has(entry)
  }
  const [inGroups, inResources, inVerbs] = [among(apiGroups), among(resources), among(verbs)]
  const names = new Set(resourceNames)
  const paths = unique(nonResourceURLs)
  return {
    resources: [
      inGroups,
      (resource) =>
        inResources(resource) || (resource.includes("/") && inResources(`*${resource.slice(resource.indexOf("/"))}`)),
      inVerbs,
      (name) => names.size === 0 || names.has(name)
    ],
    paths: [(path) => paths.some((own) => coversPath(own, path)), inVerbs],
    pathWork: paths.length
  }
}

const coversPath = (own: string, path: string): boolean =>
  own === path || (own.endsWith("*") && path.startsWith(own.slice(0, -1)))

/** Returns what remains of a box without the combinations that a held rule allows, as disjoint boxes. */
const subtractTests = (box: Box, tests: Tests): ReadonlyArray<Box> => {
  const inside: Array<ReadonlyArray<string>> = []
  const outside: Array<ReadonlyArray<string>> = []
  for (const [index, list] of box.entries()) {
    const [within, beyond]: [Array<string>, Array<string>] = [[], []]
    for (const entry of list) (tests[index]?.(entry) === true ? within : beyond).push(entry)
    if (within.length === 0) return [box]
    inside.push(within)
    outside.push(beyond)
  }
  return outside.flatMap((beyond, index) =>
    beyond.length === 0 ? [] : [[...inside.slice(0, index), beyond, ...box.slice(index + 1)]]
  )
}

/**
 * Returns a function that subtracts the held rules from a rule. Its result is disjoint rules, none if the held rules
 * contain the rule. The time depends on the length of the lists and of the result, not on the number of combinations; it
 * is limited in total (`MAX_WORK`) for all rules passed to the function.
 */
export const makeSubtract = (rules: ReadonlyArray<PolicyRule>): ((rule: PolicyRule) => ReadonlyArray<PolicyRule>) => {
  const heldRules = rules.map(heldRuleOf)
  let workLeft = MAX_WORK
  const remainder = (
    box: Box,
    testsOf: (own: HeldRule) => Tests,
    workOf: (own: HeldRule) => number
  ): ReadonlyArray<Box> => {
    let boxes: ReadonlyArray<Box> = box.some((list) => list.length === 0) ? [] : [box]
    for (const own of heldRules) {
      boxes = boxes.flatMap((each) => {
        workLeft -= each.reduce((sum, list) => sum + list.length, 1) * (1 + workOf(own))
        return workLeft < 0 ? [each] : subtractTests(each, testsOf(own))
      })
    }
    return boxes
  }
  return (rule) => [
    ...remainder(
      resourceBox(rule),
      ({ resources }) => resources,
      () => 0
    ).map(ruleOf),
    ...remainder(
      pathBox(rule),
      ({ paths }) => paths,
      ({ pathWork }) => pathWork
    ).map(ruleOf)
  ]
}
