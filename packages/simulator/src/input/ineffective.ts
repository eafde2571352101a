import { type Pod, parseDuration } from "@rollcall/api"
import { didYouMean } from "@rollcall/input"
import type { ConfigLayer, KubeletConfig, KubeletConfiguration } from "@rollcall/kubelet"
import type { LoadedObject } from "./objects.ts"
import type { ScenarioDocument } from "./Scenario.ts"

/** Returns a warning for each part of a scenario that has no effect, such as an event after the end. */
export const ineffectiveWarnings = (file: string, spec: ScenarioDocument["spec"]): ReadonlyArray<string> => {
  const found: Array<string> = []
  const warn = (path: string, why: string) => found.push(`${file}: ${path} ${why}`)
  const endMs = parseDuration(spec.duration)
  for (const [index, event] of (spec.events ?? []).entries()) {
    const path = `spec.events[${index}]`
    if (parseDuration(event.at) > endMs) warn(path, "is after the end of the scenario, and will not happen")
  }
  const names = new Map<string, number>()
  for (const [index, { at, from, name }] of (spec.expect ?? []).entries()) {
    const path = `spec.expect[${index}]`
    if (at !== undefined && parseDuration(at) > endMs) {
      warn(`${path}.at`, "is after the end of the scenario: nothing is looked at")
    }
    if (from !== undefined && parseDuration(from) > endMs) {
      warn(`${path}.from`, "is after the end of the scenario: nothing is looked at")
    }
    const other = names.get(name)
    if (other !== undefined) warn(`${path}.name`, `is the name of spec.expect[${other}] too`)
    else names.set(name, index)
  }
  return found
}

/** Returns a warning for each setting of a kubelet's certificates: modelled machines of a scenario have none. */
export const certificateWarnings = (
  file: string,
  path: string,
  { rotateCertificates, serverTLSBootstrap }: KubeletConfiguration | ConfigLayer["fields"]
): ReadonlyArray<string> =>
  Object.entries({ rotateCertificates, serverTLSBootstrap }).flatMap(([field, isSet]) =>
    isSet === true ? [`${file}: ${path}: ${field} has no effect: kubelets of a scenario have no certificates`] : []
  )

/** Returns a warning for each source of static pods in a kubelet's configuration: modelled machines have no such files or URLs. */
export const staticPodSourceWarnings = (
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

/** Returns a warning for each pod whose nodeName is the name of no node. */
export const missingNodeWarnings = (
  objects: ReadonlyArray<LoadedObject>,
  nodes: ReadonlySet<string>
): ReadonlyArray<string> =>
  objects.flatMap(({ file, kind, object, path }) => {
    const node = kind === "Pod" ? (object as Pod).spec.nodeName : undefined
    return node === undefined || node === "" || nodes.has(node)
      ? []
      : [
          `${file}: ${path === "" ? "" : `${path}.`}spec.nodeName: no node "${node}" in this cluster${didYouMean(node, nodes)}`
        ]
  })
