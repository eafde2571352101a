import type { Node, Release } from "@rollcall/api"
import { invalid } from "@rollcall/input"
import type { KubeletConfig, KubeletSettings } from "@rollcall/kubelet"
import type { MachineGroup, NodeGroup } from "@rollcall/machines"
import {
  DEFAULT_CAPACITY,
  groupProblem,
  hardwareOf,
  readKubeletFields,
  refusedResources,
  resolveKubeletInput,
  withKubeletLayer
} from "@rollcall/machines"
import * as Effect from "effect/Effect"
import type { KnownNodes } from "./events.ts"
import { certificateWarnings } from "./ineffective.ts"
import type { LoadedObject } from "./objects.ts"
import type { ScenarioDocument } from "./Scenario.ts"
import { loadStaticPods } from "./staticPods.ts"

/**
 * Plans the node groups of a scenario: the names of their nodes, the configuration of their kubelets, and their static pods. Adds to
 * `warnings`.
 */
export const planGroups = Effect.fnUntraced(function* (
  file: string,
  groups: ReadonlyArray<NodeGroup>,
  settings: KubeletSettings,
  release: Release,
  warnings: Array<string>
) {
  const indexByName = new Map<string, number>()
  const planned: Array<MachineGroup> = []
  for (const [index, group] of groups.entries()) {
    const base = `spec.cluster.nodes[${index}]`
    const other = indexByName.get(group.name)
    if (other !== undefined) {
      return yield* invalid(file, `${base}.name`, `"${group.name}" is the name of spec.cluster.nodes[${other}] too`)
    }
    indexByName.set(group.name, index)
    const problem = groupProblem(group)
    if (problem !== undefined) return yield* invalid(file, `${base}.${problem[0]}`, problem[1])
    const names = Array.from({ length: group.count ?? 1 }, (_, member) => `${group.name}-${member}`)
    const layer =
      group.kubelet === undefined
        ? undefined
        : yield* Effect.fromResult(readKubeletFields(file, `${base}.kubelet`, group.kubelet, warnings))
    const resolved = yield* Effect.fromResult(resolveKubeletInput(withKubeletLayer(settings, layer), release))
    if (layer !== undefined) {
      warnings.push(...resolved.warnings, ...certificateWarnings(file, `${base}.kubelet`, layer.fields))
    }
    const staticPods = yield* loadStaticPods(file, base, group, warnings)
    const refusal = refusedResources({ config: resolved.config, ...hardwareOf(group) }, release)
    if (refusal !== undefined) return yield* invalid(file, `${base}.kubelet`, `the kubelet would not start: ${refusal}`)
    planned.push({ group, names, kubelet: resolved.config, staticPods })
  }
  return planned
})

/** The zone labels of early releases and of current ones. */
const ZONE_LABELS = ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"]

/** Returns the names that events and expectations of a scenario can refer to. */
export const knownNodes = (
  groups: ReadonlyArray<MachineGroup>,
  objects: ReadonlyArray<LoadedObject>,
  events: ScenarioDocument["spec"]["events"] = []
): KnownNodes => {
  const nodes = objects.filter((loaded) => loaded.kind === "Node").map((loaded) => loaded.object as Node)
  return {
    names: new Set([...groups.flatMap(({ names }) => names), ...nodes.map((node) => node.metadata.name ?? "")]),
    groups: new Set(groups.map(({ group }) => group.name)),
    zones: new Set([
      ...groups.flatMap(({ group }) => group.zone ?? ZONE_LABELS.flatMap((label) => group.labels?.[label] ?? [])),
      ...nodes.flatMap((node) => ZONE_LABELS.flatMap((label) => node.metadata.labels?.[label] ?? [])),
      ...events.flatMap((event) => ZONE_LABELS.flatMap((label) => event.labels?.[label] ?? []))
    ]),
    mayGrow: events.some((event) => event.do === "apply" || event.do === "label")
  }
}

/** Fails if a kubelet with this configuration would not start on the machine of one of the Nodes. */
export const checkKubelets = Effect.fnUntraced(function* (
  file: string,
  objects: ReadonlyArray<LoadedObject>,
  config: KubeletConfig,
  release: Release
) {
  for (const { kind, object } of objects) {
    if (kind !== "Node") continue
    const { metadata, status } = object as Node
    const capacity = { ...DEFAULT_CAPACITY, ...status?.capacity }
    const refusal = refusedResources({ config, capacity }, release)
    if (refusal === undefined) continue
    return yield* invalid(
      file,
      "spec.config.kubelet",
      `the kubelet of ${metadata.name ?? ""} would not start: ${refusal}`
    )
  }
})
