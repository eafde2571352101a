import type { CustomResourceDefinition, KubeObject } from "@rollcall/api"
import type { AnyKind, Feed, Reflector } from "@rollcall/cluster"
import { guarded, type TimersShape } from "@rollcall/time"
import { CustomResources, customResourceOf } from "./customKinds.ts"
import type { OwnerGraph } from "./OwnerGraph.ts"

/**
 * Follows the objects of custom kinds as their definitions are added and removed: the definitions name the kinds, so
 * that no discovery is needed. Returns the custom kinds, the feed to which the definitions must be passed, and a
 * function that ends all watches. A definition that cannot be followed is logged, and does not affect others.
 * Upstream: pkg/controller/garbagecollector/garbagecollector.go, Sync.
 */
export const followDefinitions = (
  timers: Pick<TimersShape, "handleError">,
  graph: OwnerGraph,
  follow: (kind: AnyKind) => Reflector
) => {
  const custom = new CustomResources()
  const reflectors = new Map<string, Reflector>()
  const unfollow = (name: string) => {
    const resource = custom.get(name)
    reflectors.get(name)?.stop()
    reflectors.delete(name)
    custom.delete(name)
    if (resource !== undefined) graph.replace(resource.kind, [])
  }
  const observeDefinition = (object: KubeObject) => {
    const { name = "" } = object.metadata
    const resource = customResourceOf(object as CustomResourceDefinition)
    if (custom.get(name)?.kind === resource?.kind) return
    unfollow(name)
    if (resource === undefined) return
    const reflector = follow(resource.kind)
    custom.set(name, resource)
    reflectors.set(name, reflector)
    reflector.start()
  }
  const definitions: Feed = {
    replace: (objects) => {
      const listed = new Set(objects.map(({ metadata }) => metadata.name))
      for (const name of custom.names()) if (!listed.has(name)) unfollow(name)
      for (const object of objects) {
        guarded(timers, "custom kind", () => observeDefinition(object), { definition: object.metadata.name })
      }
    },
    apply: (event) => {
      if (event.type === "DELETED") unfollow(event.object.metadata.name ?? "")
      else if (event.type === "ADDED" || event.type === "MODIFIED") observeDefinition(event.object)
    }
  }
  const stop = () => {
    for (const name of custom.names()) unfollow(name)
  }
  return { custom, definitions, stop }
}
