import type { KubeObject } from "@rollcall/api"
import { inTurn } from "../../core/pipeline/inTurn.ts"
import { removeObject } from "../../core/pipeline/remove.ts"
import type { ServerCore } from "../../core/pipeline/ServerCore.ts"
import type { KindState } from "../../core/registry/KindState.ts"
import { userInfo } from "./userInfo.ts"

const ATTEMPTS = 100

/** Deletes all objects of a kind, one after the other; those that finalizers hold stay until they are let go. */
export const emptyKind = (core: ServerCore, state: KindState, done: () => void): void => {
  const objects: Array<KubeObject> = []
  state.cache.visit(undefined, (object) => objects.push(object))
  const removeOne = ({ metadata: { name = "", namespace = "" } }: KubeObject, next: (proceed: boolean) => void) => {
    const target = { state, namespace, name, subresource: undefined, dryRun: false }
    removeObject(core, userInfo, target, {}, ATTEMPTS, () => next(true))
  }
  inTurn(objects, removeOne, done)
}
