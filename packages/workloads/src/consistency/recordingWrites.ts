import { getControllerOf, isKindName, type KindName, type KubeObject, keyOf } from "@rollcall/api"
import type { ApiRequest, Connection } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { ConsistencyStore } from "./ConsistencyStore.ts"

const isWrite = ({ verb }: ApiRequest): boolean => verb === "create" || verb === "update" || verb === "patch"

/**
 * Records what is written for the objects of a kind: their own states, and the objects of the kind `controlled` that
 * they control. Upstream: RealPodControl.OnWrite, and the calls of WroteAt after updates of the status.
 */
export const recordingWrites = (
  connection: Connection,
  kind: KindName,
  store: ConsistencyStore,
  controlled: KindName = "Pod"
): Connection => ({
  watch: connection.watch,
  send: (request, reply) => {
    if (!isWrite(request) || (request.kind !== kind && request.kind !== controlled))
      return connection.send(request, reply)
    return connection.send(request, (answer) => {
      try {
        if (Result.isSuccess(answer)) recordWrite(store, kind, request.kind, answer.success)
      } finally {
        // The answer may be anything: the caller gets it in any case.
        reply(answer)
      }
    })
  }
})

/** The object of a kind that is written, or that controls what is written. */
export const reconciledBy = (
  kind: KindName,
  written: string,
  metadata: KubeObject["metadata"]
): { readonly key: string; readonly uid: string } | undefined => {
  if (written === kind) return { key: keyOf({ metadata }), uid: metadata.uid ?? "" }
  const owner = getControllerOf({ metadata })
  if (owner?.kind !== kind) return undefined
  return { key: keyOf({ metadata: { ...metadata, name: owner.name } }), uid: owner.uid }
}

const recordWrite = (store: ConsistencyStore, kind: KindName, written: string, answer: unknown): void => {
  const metadata = ((answer ?? {}) as Partial<KubeObject>).metadata ?? {}
  const reconciled = reconciledBy(kind, written, metadata)
  if (!isKindName(written) || reconciled === undefined) return
  store.wroteAt(reconciled.key, reconciled.uid, written, metadata.resourceVersion ?? "")
}
