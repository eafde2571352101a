import { type KindName, type KubeObject, kindOfName, resourceOf } from "@rollcall/api"
import {
  type AdmissionContext,
  type AdmissionPlugin,
  defaultTolerationSeconds,
  taintNodesByCondition
} from "@rollcall/api-server"
import type { Subresource } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { Adapters } from "../Adapter.ts"

type Operation = "CREATE" | "UPDATE" | "DELETE"

const verbs = { CREATE: "create", UPDATE: "update", DELETE: "delete" } as const

const admit = <A extends KubeObject>(
  plugin: AdmissionPlugin,
  kind: KindName,
  operation: Operation,
  subresource: string,
  object: A
): A => {
  const place = subresource === "" ? undefined : (subresource as Subresource)
  const verb = verbs[operation]
  if (!plugin.admits(kind, verb, place)) return object
  const attributes = {
    verb,
    kind,
    resource: resourceOf(kind),
    subresource: place,
    namespace: "",
    name: "x",
    object,
    oldObject: verb === "create" ? undefined : object,
    userInfo: { user: "", groups: [] },
    dryRun: false
  }
  const context: AdmissionContext = {
    reader: { get: () => undefined, list: () => [], observe: () => undefined },
    updateStatus: (object, done) => done(Result.succeed(object)),
    now: () => 0,
    makeName: (base) => base
  }
  const result = plugin.mutate?.(attributes, context)
  return result === undefined ? object : (Result.getOrThrow(result) as A)
}

export const admissionAdapters: Adapters = {
  "eviction/default-tolerations": ({ given }) => {
    const { notReadySeconds, operation, subresource, tolerations, unreachableSeconds } = given
    const plugin = defaultTolerationSeconds({ notReadySeconds, unreachableSeconds })
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "x" }, spec: { containers: [], tolerations } }
    return { tolerations: admit(plugin, "Pod", operation, subresource, pod).spec.tolerations }
  },
  "eviction/node-taint-admission": ({ given }) => {
    const kind = kindOfName(given.resource) ?? "ConfigMap"
    const node = { apiVersion: "v1", kind, metadata: { name: "x" }, spec: { taints: given.taints } }
    return { taints: admit(taintNodesByCondition, kind, given.operation, given.subresource, node).spec.taints }
  }
}
