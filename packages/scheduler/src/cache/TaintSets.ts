import type { Node, Taint } from "@rollcall/api"

/** The taints of a node. Nodes with equal taints share one set, so that a cycle evaluates each set only once. */
export interface TaintSet {
  readonly id: number
  readonly taints: ReadonlyArray<Taint>
  readonly hasPreferNoSchedule: boolean
}

const noTaints: ReadonlyArray<Taint> = []

/** Makes the taint sets of nodes, one for all nodes with equal taints. timeAdded does not count. */
export class TaintSets {
  readonly none: TaintSet = { id: 0, taints: noTaints, hasPreferNoSchedule: false }
  private readonly byKey = new Map<string, TaintSet>([["", this.none]])

  of(node: Node): TaintSet {
    const taints = node.spec?.taints ?? noTaints
    let key = ""
    for (const taint of taints) key += `${taint.key}\n${taint.value ?? ""}\n${taint.effect}\n`
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    const set: TaintSet = {
      id: this.byKey.size,
      taints,
      hasPreferNoSchedule: taints.some((taint) => taint.effect === "PreferNoSchedule")
    }
    this.byKey.set(key, set)
    return set
  }
}
