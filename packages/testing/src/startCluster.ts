import { type KindName, type ListOf, type ObjectOf, parseDuration, type Status } from "@rollcall/api"
import type { ClusterShape } from "@rollcall/cluster"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type ClusterOptions, type FaultOptions, TestCluster, type TestClusterShape } from "./TestCluster.ts"

/** The calls of `ClusterShape` that answer once, as Promises. A refusal rejects with `ApiError`, which has the Status. */
export interface PromiseClient {
  readonly get: <K extends KindName>(kind: K, ...rest: Rest<"get">) => Promise<ObjectOf<K>>
  readonly list: <K extends KindName>(kind: K, ...rest: Rest<"list">) => Promise<ListOf<K>>
  readonly create: <K extends KindName>(kind: K, object: ObjectOf<K>) => Promise<ObjectOf<K>>
  readonly update: <K extends KindName>(kind: K, object: ObjectOf<K>) => Promise<ObjectOf<K>>
  readonly updateStatus: <K extends KindName>(kind: K, object: ObjectOf<K>) => Promise<ObjectOf<K>>
  readonly patch: <K extends KindName>(kind: K, ...rest: Rest<"patch">) => Promise<ObjectOf<K>>
  readonly delete: <K extends KindName>(kind: K, ...rest: Rest<"delete">) => Promise<ObjectOf<K> | Status>
}

type Rest<Call extends keyof ClusterShape> = ClusterShape[Call] extends (
  kind: never,
  ...rest: infer Arguments
) => unknown
  ? Arguments
  : never

/** A fault that is in force. */
export interface StartedFault {
  readonly id: string
  readonly nodes: ReadonlyArray<string>
  readonly end: () => Promise<void>
}

/** A live cluster for a test. `stop` ends it and deletes its folder; `await using` calls it, too. */
export interface StartedCluster
  extends Pick<TestClusterShape, "url" | "kubeconfig" | "kubeconfigFile" | "now" | "log">,
    AsyncDisposable {
  readonly client: PromiseClient
  /** Lets the cluster's time pass at once: `"6m"`, `"90s"`, or milliseconds. */
  readonly advance: (duration: string | number) => Promise<void>
  readonly fault: (name: Parameters<TestClusterShape["fault"]>[0], options?: FaultOptions) => Promise<StartedFault>
  /** Cuts nodes off from the API server, all or those of the options: `{ nodes: { zone: "zone-a" }, for: "12m" }`. */
  readonly partition: (options?: FaultOptions) => Promise<StartedFault>
  readonly stop: () => Promise<void>
}

const promiseClient = (client: ClusterShape): PromiseClient => {
  const { create, delete: remove, get, list, patch, update, updateStatus } = client
  return {
    get: (kind, ...rest) => Effect.runPromise(get(kind, ...rest)),
    list: (kind, ...rest) => Effect.runPromise(list(kind, ...rest)),
    create: (kind, object) => Effect.runPromise(create(kind, object)),
    update: (kind, object) => Effect.runPromise(update(kind, object)),
    updateStatus: (kind, object) => Effect.runPromise(updateStatus(kind, object)),
    patch: (kind, ...rest) => Effect.runPromise(patch(kind, ...rest)),
    delete: (kind, ...rest) => Effect.runPromise(remove(kind, ...rest))
  }
}

/** Milliseconds of a duration as Go writes them, or of a number of milliseconds. */
const millisOf = (duration: string | number): number => {
  const millis = typeof duration === "number" ? duration : parseDuration(duration)
  if (!(millis >= 0))
    throw new TypeError(`advance: found ${JSON.stringify(duration)}, expected a duration such as "6m"`)
  return millis
}

/**
 * Starts a cluster in this process. Its nodes are Ready and accept pods when the promise resolves. Rejects with
 * `InvalidInput` if an option is wrong. Several clusters in one process do not disturb each other.
 */
export const startCluster = async (options: ClusterOptions = {}): Promise<StartedCluster> => {
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const built = await Effect.runPromise(Layer.buildWithScope(TestCluster.layer(options), scope)).catch(
    async (error) => {
      await close()
      throw error
    }
  )
  const { advance, client, fault, kubeconfig, kubeconfigFile, log, now, url } = Context.get(built, TestCluster)
  const begin: StartedCluster["fault"] = async (name, faultOptions) => {
    const { end, id, nodes } = await Effect.runPromise(fault(name, faultOptions))
    return { id, nodes, end: () => Effect.runPromise(end) }
  }
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= close()
    return stopped
  }
  return {
    client: promiseClient(client),
    url,
    kubeconfig,
    kubeconfigFile,
    now,
    log,
    advance: async (duration) => Effect.runPromise(advance(millisOf(duration))),
    fault: begin,
    partition: (faultOptions) => begin("partition", faultOptions),
    stop,
    [Symbol.asyncDispose]: stop
  }
}
