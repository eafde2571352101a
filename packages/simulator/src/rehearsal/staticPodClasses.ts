import type { MachineGroup } from "@rollcall/machines"

/** Static pods that name a priority class and give no number: the class, by the name that the pod has on each node. */
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
