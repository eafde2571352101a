import { genericResponse, type KubeObject, type Status } from "@rollcall/api"
import type { AnyKind, ApiError } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { ConnectedSubresource, ConnectionOptions } from "../admission/Admission.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { admit } from "./admit.ts"
import { type Audit, Exchange, type Identity, type Reply } from "./Exchange.ts"
import type { ServerCore } from "./ServerCore.ts"

/** A request to connect to something: a container, a port, a kubelet. The object that it names need not exist. */
export interface ConnectionRequest {
  readonly kind: AnyKind
  readonly subresource: ConnectedSubresource
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  /** For example PodExecOptions. */
  readonly options: ConnectionOptions
}

/** Receives the options of a connection as plugins leave them, or the refusal; and the warnings for the client. */
export type AdmittedConnection = (
  admitted: Result.Result<ConnectionOptions, Status>,
  warnings: ReadonlyArray<string>
) => void

/** Returns what tells the audit of a connection. */
const auditOf = ({ audit }: ServerCore, { options, subresource }: ConnectionRequest): Audit | undefined =>
  audit && ((record) => audit({ ...record, connection: { subresource, options } }))

/**
 * Admits a connection: answers with its options after all plugins, or with the refusal. Upstream:
 * apiserver/pkg/endpoints/handlers/rest.go, ConnectResource.
 */
export const admitConnection =
  (core: ServerCore) =>
  (identity: Identity, connection: ConnectionRequest, done: AdmittedConnection): void => {
    const { kind, name, namespace, options, subresource } = connection
    const reply: Reply = (answer, _code, warnings) =>
      done(
        Result.isSuccess(answer)
          ? Result.succeed(answer.success as ConnectionOptions)
          : Result.fail((answer.failure as ApiError).status),
        warnings
      )
    const exchange = new Exchange(identity, { verb: "get", kind, namespace, name }, reply, auditOf(core, connection))
    const state = core.registry.kind(kind)
    if (state === undefined) {
      exchange.refuse(genericResponse(404))
      return
    }
    const target = { state, namespace, name, subresource, dryRun: false }
    const object = options as unknown as KubeObject
    admit(core, attributesOf(identity, target, "connect", object, undefined, exchange), (admitted) => {
      if (Result.isSuccess(admitted)) exchange.ok(admitted.success, 200, undefined)
      else exchange.refuse(admitted.failure)
    })
  }
