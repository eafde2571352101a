import type { Pod } from "@rollcall/api"
import { invalid, wrongValue } from "@rollcall/input"
import type { StaticPodManifest } from "@rollcall/kubelet"
import type { NodeGroup } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import { loadObjects } from "./objects.ts"

/** Loads the static pods of a group, whose manifests are files on each of its machines. `base` is the path of the group in the scenario. */
export const loadStaticPods = Effect.fnUntraced(function* (
  file: string,
  base: string,
  { staticPods = [] }: NodeGroup,
  warnings: Array<string>
) {
  const documents = staticPods.map((value, index) => ({ file, path: `${base}.staticPods[${index}]`, value }))
  const manifests: Array<StaticPodManifest> = []
  for (const { kind, object, path } of yield* loadObjects(documents, warnings)) {
    if (kind !== "Pod") return yield* invalid(file, `${path}.kind`, wrongValue(kind, '"Pod"'))
    const pod = object as Pod
    manifests.push({ source: `/etc/kubernetes/manifests/${pod.metadata.name ?? ""}.yaml`, kind: "file", pod })
  }
  return manifests
})
