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

/** Namespaces that every cluster has and that cannot be deleted. */
const immortal: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"])

const namespaces = groupResourceOf(resourceOf("Namespace"))

/**
 * Refuses creation in a namespace that is missing or terminating. Upstream:
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

export const deletionRefusal = ({ name, state }: Target): Status | undefined =>
  state.definition.resource.kind === "Namespace" && immortal.has(name)
    ? forbidden(namespaces, name, "this namespace may not be deleted")
    : undefined

/**
 * Returns why a request that yielded cannot write its kind any more: the custom resource definition was deleted
 * meanwhile, and an object stored now could never be read.
 */
export const goneRefusal = ({ registry }: Pick<ServerCore, "registry">, state: KindState): Status | undefined => {
  const stored = state.base?.state ?? state
  return registry.kind(stored.definition.key) === stored ? undefined : genericResponse(404)
}
