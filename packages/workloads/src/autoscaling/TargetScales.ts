import { type CrossVersionObjectReference, kindNames, resourceOf } from "@rollcall/api"
import { type AnyKind, type ClusterError, type ClusterShape, isConflict } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { customResourceOf } from "../garbage/customKinds.ts"
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

/** Reads and writes the scale of the workloads that autoscalers name. */
export class TargetScales {
  private readonly cluster: ClusterShape

  constructor(cluster: ClusterShape) {
    this.cluster = cluster
  }

  /** Returns the kind of a reference as requests name it, or why there is none. */
  readonly kindOf = Effect.fnUntraced(
    { self: this },
    function* (
      this: TargetScales,
      { apiVersion = "", kind }: CrossVersionObjectReference
    ): Effect.fn.Return<AnyKind, string> {
      const group = groupOf(apiVersion)
      const builtIn = kindNames.find((name) => resourceOf(name).kind === kind && resourceOf(name).group === group)
      if (builtIn !== undefined) return builtIn
      const { items } = yield* this.cluster
        .list("CustomResourceDefinition")
        .pipe(Effect.mapError(({ message }) => message))
      const definition = items.find(({ spec }) => spec.group === group && spec.names.kind === kind)
      const served = definition && customResourceOf(definition)
      if (served !== undefined) return served.kind
      return yield* Effect.fail(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`)
    }
  )

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
