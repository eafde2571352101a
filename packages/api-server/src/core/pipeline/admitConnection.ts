import { genericResponse, type KubeObject, type Status } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import * as Result from "effect/Result"
import type { AdmissionExchange, ConnectedSubresource, UserInfo } from "../admission/Admission.ts"
import { attributesOf } from "./AdmissionChains.ts"
import { admit } from "./admit.ts"
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

/** The options of a connection: an object of the API without metadata. */
export interface ConnectionOptions {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

/** Receives the options of a connection as plugins leave them, or the refusal; and the warnings for the client. */
export type AdmittedConnection = (
  admitted: Result.Result<ConnectionOptions, Status>,
  warnings: ReadonlyArray<string>
) => void

/**
 * Admits a connection: answers with its options after all plugins, or with the refusal. Upstream:
 * apiserver/pkg/endpoints/handlers/rest.go, ConnectResource.
 */
export const admitConnection =
  (core: ServerCore) =>
  (
    user: UserInfo,
    { kind, name, namespace, options, subresource }: ConnectionRequest,
    done: AdmittedConnection
  ): void => {
    const state = core.registry.kind(kind)
    if (state === undefined) {
      done(Result.fail(genericResponse(404)), [])
      return
    }
    const target = { state, namespace, name, subresource, dryRun: false }
    const warnings = new Set<string>()
    let isAnswered = false
    const exchange: AdmissionExchange = {
      request: { verb: "get", kind, namespace, name },
      get isAnswered() {
        return isAnswered
      },
      warn: (text) => void warnings.add(text),
      // The audit observes writes only.
      annotate: () => undefined
    }
    const object = options as unknown as KubeObject
    admit(core, attributesOf(user, target, "connect", object, undefined, exchange), (admitted) => {
      isAnswered = true
      done(admitted as unknown as Result.Result<ConnectionOptions, Status>, [...warnings])
    })
  }
