import { type Pod, parseDuration } from "@rollcall/api"
import { didYouMean } from "@rollcall/input"
import type { KubeletConfig } from "@rollcall/kubelet"
import type { LoadedObject } from "./objects.ts"
import type { ScenarioDocument } from "./Scenario.ts"

/** What of a scenario is understood but changes nothing: one warning each. */
export const ineffective = (file: string, spec: ScenarioDocument["spec"]): ReadonlyArray<string> => {
  const found: Array<string> = []
  const say = (path: string, why: string) => found.push(`${file}: ${path} ${why}`)
  const endMs = parseDuration(spec.duration)
  for (const [index, event] of (spec.events ?? []).entries()) {
    const path = `spec.events[${index}]`
    if (parseDuration(event.at) > endMs) say(path, "is after the end of the scenario, and will not happen")
  }
  const names = new Map<string, number>()
  for (const [index, { at, from, name }] of (spec.expect ?? []).entries()) {
    const path = `spec.expect[${index}]`
    if (at !== undefined && parseDuration(at) > endMs) {
      say(`${path}.at`, "is after the end of the scenario: nothing is looked at")
    }
    if (from !== undefined && parseDuration(from) > endMs) {
      say(`${path}.from`, "is after the end of the scenario: nothing is looked at")
    }
    const other = names.get(name)
    if (other !== undefined) say(`${path}.name`, `is the name of spec.expect[${other}] too`)
    else names.set(name, index)
  }
  return found
}

/** Where a kubelet of a scenario is told to look for manifests: there is nothing. One warning each. */
export const unreadManifests = (
  file: string,
  path: string,
  { staticPodPath, staticPodURL }: Pick<KubeletConfig, "staticPodPath" | "staticPodURL">
): ReadonlyArray<string> =>
  Object.entries({ staticPodPath, staticPodURL }).flatMap(([field, source]) =>
    source === ""
      ? []
      : [
          `${file}: ${path}: ${field} ${JSON.stringify(source)} is not read: machines of a scenario have the static pods that staticPods of their group names`
        ]
  )

/** Pods that say they are on a node that is not there: one warning each. */
export const podsOfNoNode = (objects: ReadonlyArray<LoadedObject>, nodes: ReadonlySet<string>): ReadonlyArray<string> =>
  objects.flatMap(({ file, kind, object, path }) => {
    const node = kind === "Pod" ? (object as Pod).spec.nodeName : undefined
    return node === undefined || node === "" || nodes.has(node)
      ? []
      : [
          `${file}: ${path === "" ? "" : `${path}.`}spec.nodeName: no node "${node}" in this cluster${didYouMean(node, nodes)}`
        ]
  })
