import type { Resource } from "@rollcall/api"
import { defineCustom } from "./defineCustom.ts"
import type { KindDefinition } from "./KindDefinition.ts"

/** A POST to `bindings` binds the pod that its body names; nothing is stored. */
export const BINDINGS: Resource = {
  kind: "Binding",
  group: "",
  version: "v1",
  plural: "bindings",
  singular: "binding",
  shortNames: [],
  namespaced: true
}

/**
 * `bindings`, as admission sees it: a resource of its own, which plugins of pods do not know. Upstream:
 * pkg/registry/core/pod/storage, LegacyBindingREST.
 */
export const bindingsView: KindDefinition = {
  ...defineCustom(BINDINGS, { hidden: true, view: { of: "Pod", toStorage: (pod) => pod, fromStorage: (pod) => pod } }),
  apiVersion: "v1"
}
