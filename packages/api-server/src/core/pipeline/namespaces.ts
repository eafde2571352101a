import {
  forbidden,
  genericResponse,
  groupResourceOf,
  namespaceTerminating,
  notFound,
  resourceOf,
  type Status
} from "@rollcall/api"
import type { KindState, Target } from "../registry/KindState.ts"
import type { ServerCore } from "./ServerCore.ts"

const namespaces = groupResourceOf(resourceOf("Namespace"))

/**
 * Returns why nothing can be created in the namespace: it is missing or terminating. Upstream:
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
 */
export const namespaceRefusal = (core: ServerCore, target: Target): Status | undefined => {
  const { name, namespace, state } = target
  if (namespace === "") return undefined
  const found = core.registry.kinds.Namespace.cache.get("", namespace)
  if (found === undefined) return notFound(namespaces, namespace)
  if (found.object.metadata.deletionTimestamp === undefined) return undefined
  return namespaceTerminating(groupResourceOf(state.definition.resource), name, namespace)
}

/** Returns why the object cannot be deleted, whatever its state, or undefined. */
export const deletionRefusal = ({ name, state: { definition } }: Target): Status | undefined => {
  const why = definition.undeletable?.(name)
  return why === undefined ? undefined : forbidden(groupResourceOf(definition.resource), name, why)
}

/**
 * Returns why a request that yielded cannot write its kind any more: the custom resource definition was deleted
 * meanwhile, and an object stored now could never be read.
 */
export const unservedRefusal = ({ registry }: Pick<ServerCore, "registry">, state: KindState): Status | undefined => {
  const stored = state.base?.state ?? state
  return registry.kind(stored.definition.key) === stored ? undefined : genericResponse(404)
}
