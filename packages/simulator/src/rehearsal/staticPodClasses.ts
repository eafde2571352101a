import type { MachineGroup } from "@rollcall/machines"

/** Returns the priority class of each static pod that has a class name but no priority, by the pod's name on each node. */
export const classOnlyOf = (groups: ReadonlyArray<MachineGroup>): ReadonlyMap<string, string> =>
  new Map(
    groups.flatMap(({ names, staticPods = [] }) =>
      staticPods.flatMap(({ pod: { metadata, spec } }) => {
        const name = spec?.priorityClassName
        return name === undefined || spec?.priority !== undefined
          ? []
          : names.map((node) => [`${metadata.name ?? ""}-${node}`, name] as const)
      })
    )
  )
