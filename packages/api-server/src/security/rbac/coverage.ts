import type { PolicyRule } from "@rollcall/api"

/** The maximum number of list entries checked for the rules of one role. Unchecked parts count as not covered. */
const MAX_WORK = 500_000

/** All combinations of one entry of each list. */
type Box = ReadonlyArray<ReadonlyArray<string>>
/** Which entries of each list a rule covers. */
type Tests = ReadonlyArray<(entry: string) => boolean>

/** Represents all names: a rule without names covers it. It is not a valid name. */
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

interface Held {
  readonly resources: Tests
  readonly paths: Tests
  /** The work of checking one path. */
  readonly pathWork: number
}

const heldOf = ({ apiGroups, nonResourceURLs, resourceNames, resources, verbs }: PolicyRule): Held => {
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

/** Returns the rest of a box, as disjoint boxes. */
const without = (box: Box, tests: Tests): ReadonlyArray<Box> => {
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
 * Returns a function that subtracts the held rules from a rule: the result is disjoint rules, none when it is covered.
 * The time depends on the lists and on the rest, not on their combinations; it is limited in total for all rules passed
 * to the function.
 */
export const coverage = (rules: ReadonlyArray<PolicyRule>): ((rule: PolicyRule) => ReadonlyArray<PolicyRule>) => {
  const held = rules.map(heldOf)
  let room = MAX_WORK
  const rest = (box: Box, testsOf: (own: Held) => Tests, workOf: (own: Held) => number): ReadonlyArray<Box> => {
    let left: ReadonlyArray<Box> = box.some((list) => list.length === 0) ? [] : [box]
    for (const own of held) {
      left = left.flatMap((each) => {
        room -= each.reduce((sum, list) => sum + list.length, 1) * (1 + workOf(own))
        return room < 0 ? [each] : without(each, testsOf(own))
      })
    }
    return left
  }
  return (rule) => [
    ...rest(
      resourceBox(rule),
      ({ resources }) => resources,
      () => 0
    ).map(ruleOf),
    ...rest(
      pathBox(rule),
      ({ paths }) => paths,
      ({ pathWork }) => pathWork
    ).map(ruleOf)
  ]
}
