import { type CrossVersionObjectReference, kindNames, resourceOf } from "@rollcall/api"
import { type AnyKind, type ClusterError, type ClusterShape, isConflict } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ask } from "../Requests.ts"
import type { TargetScale } from "./reconcile.ts"

/** autoscaling/v1 Scale, as far as it is read. */
interface Scale {
  readonly metadata: { readonly name?: string; readonly resourceVersion?: string }
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas?: number; readonly selector?: string }
}

/** How often a write of a scale is tried when others write the workload. Upstream: client-go/util/retry, DefaultRetry. */
const ATTEMPTS = 5

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "")

/** Upstream: meta.NoKindMatchError. */
export const noMatch = ({ apiVersion = "", kind }: CrossVersionObjectReference): string =>
  `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(groupOf(apiVersion))}`

/** Whether the server does not have a kind at all, as a client finds out. */
export const isUnknownKind = (message: string): boolean => message.startsWith("no matches for kind ")

/**
 * Returns the kind of a reference as requests name it; undefined if there is none. Whether the server has a kind that is
 * not built in is found out by its requests: the account of the controller may not list definitions.
 */
export const targetKind = ({ apiVersion = "", kind }: CrossVersionObjectReference): AnyKind | undefined => {
  const group = groupOf(apiVersion)
  const builtIn = kindNames.find((name) => resourceOf(name).kind === kind && resourceOf(name).group === group)
  return builtIn ?? (group === "" ? undefined : `${kind}.${apiVersion}`)
}

/** Reads and writes the scale of the workloads that autoscalers name. */
export class TargetScales {
  private readonly cluster: ClusterShape

  constructor(cluster: ClusterShape) {
    this.cluster = cluster
  }

  private request<A>(
    kind: AnyKind,
    namespace: string,
    name: string,
    object: object | undefined
  ): Effect.Effect<A, ClusterError> {
    const address = { kind, namespace, name, subresource: "scale" } as const
    return Effect.callback<A, ClusterError>((resume) =>
      ask<A>(
        this.cluster.connection,
        object === undefined ? { verb: "get", ...address } : { verb: "update", ...address, object: object as never },
        (result) => resume(Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(result.failure))
      )
    )
  }

  /** Returns the scale of a workload, and a function that sets its replicas. */
  readonly get = Effect.fnUntraced(
    { self: this },
    function* (
      this: TargetScales,
      kind: AnyKind,
      namespace: string,
      name: string
    ): Effect.fn.Return<TargetScale & { readonly set: (replicas: number) => Effect.Effect<void, string> }, string> {
      const text = Effect.mapError(({ message }: ClusterError) => message)
      const read = this.request<Scale>(kind, namespace, name, undefined)
      let scale = yield* read.pipe(text)
      const write = Effect.fnUntraced(
        { self: this },
        function* (this: TargetScales, replicas: number, attempts: number): Effect.fn.Return<void, ClusterError> {
          const written = yield* Effect.result(
            this.request(kind, namespace, name, { ...scale, spec: { ...scale.spec, replicas } })
          )
          if (Result.isSuccess(written)) return
          if (attempts <= 1 || !isConflict(written.failure)) return yield* written.failure
          scale = yield* read
          yield* write(replicas, attempts - 1)
        }
      )
      return {
        replicas: scale.spec?.replicas ?? 0,
        statusReplicas: scale.status?.replicas ?? 0,
        selector: scale.status?.selector ?? "",
        set: (replicas) => write(replicas, ATTEMPTS).pipe(text)
      }
    }
  )
}
