import { formatLabelSelector, type LabelSelector, matchesLabelSelector, type Selector, selectorOf } from "@rollcall/api"

type Labels = Readonly<Record<string, string>>

/** A compiled label selector. Selections with equal keys select the same objects. */
export interface LabelSelection {
  readonly key: string
  /** True for `{}`, which selects everything. */
  readonly selectsAll: boolean
  readonly matches: (labels: Labels) => boolean
}

const emptySelection: LabelSelection = { key: "nothing", selectsAll: false, matches: () => false }

/** Compiles a selector. A missing selector selects nothing; an empty one selects everything. */
export const selectionOf = (selector: LabelSelector | Selector | undefined): LabelSelection => {
  const compiled = selector !== undefined && "requirements" in selector ? selector : selectorOf(selector)
  if (compiled.requirements === undefined) return emptySelection
  return {
    key: `=${formatLabelSelector(compiled)}`,
    selectsAll: compiled.requirements.length === 0,
    matches: (labels) => matchesLabelSelector(compiled, labels)
  }
}

/**
 * Adds requirements to a selector: `labels`' own values of the matchLabelKeys, and other values of the
 * mismatchLabelKeys. Keys that `labels` lacks are ignored. A missing selector stays missing.
 */
export const withLabelKeys = (
  selector: LabelSelector | undefined,
  labels: Labels,
  matchLabelKeys: ReadonlyArray<string> = [],
  mismatchLabelKeys: ReadonlyArray<string> = []
): LabelSelector | undefined => {
  if (selector === undefined || (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0)) return selector
  const requirement = (operator: "In" | "NotIn") => (key: string) => {
    const value = labels[key]
    return value === undefined ? [] : [{ key, operator, values: [value] }]
  }
  return {
    ...selector,
    matchExpressions: [
      ...(selector.matchExpressions ?? []),
      ...matchLabelKeys.flatMap(requirement("In")),
      ...mismatchLabelKeys.flatMap(requirement("NotIn"))
    ]
  }
}
