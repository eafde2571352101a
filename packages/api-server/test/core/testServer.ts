import { type KindName, type KubeObject, type ListOf, type ObjectOf, parseTime, type Status } from "@rollcall/api"
import { ApiError, type ApiRequest, type Connection, type WatchEvent, type WatchRequest } from "@rollcall/cluster"
import { layerMemory, type Store } from "@rollcall/store"
import { type HandleError, makeVirtualTime, rethrowErrors, type Timers, type VirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { ApiServer, type ApiServerOptions, type ApiServerShape } from "../../src/core/index.ts"

export const START_MS = parseTime("2026-01-01T00:00:00Z")

export interface WatchLog {
  readonly events: Array<WatchEvent>
  readonly batches: Array<number>
  readonly ends: Array<unknown>
  readonly cancel: () => void
}

/** An API server in virtual time, whose requests return synchronously. */
export interface TestServer {
  readonly time: VirtualTime
  readonly server: ApiServerShape
  readonly connection: Connection
  /** Returns the response; throws if the request is refused. */
  readonly ask: (request: ApiRequest) => unknown
  readonly refusalOf: (request: ApiRequest) => Status
  readonly create: <K extends KindName>(kind: K, object: unknown) => ObjectOf<K>
  readonly get: <K extends KindName>(kind: K, name: string, namespace?: string) => ObjectOf<K> | undefined
  readonly list: <K extends KindName>(kind: K, options?: object) => ListOf<K>
  readonly watch: (kind: KindName, options?: Partial<WatchRequest>) => WatchLog
  /** Runs everything that is due now. */
  readonly settle: () => void
  readonly advance: (ms: number) => void
}

export interface TestServerOptions extends ApiServerOptions {
  readonly seed?: string
  /** By default, `settle` rethrows what callbacks throw. */
  readonly handleError?: HandleError
  readonly store?: Layer.Layer<Store, never, Timers>
}

export const makeTestServer = ({
  handleError = rethrowErrors,
  seed = "world",
  store = layerMemory(),
  ...options
}: TestServerOptions = {}): TestServer => {
  const time = makeVirtualTime(START_MS, { handleError })
  const scope = Effect.runSync(Scope.make())
  const layer = Layer.provide(ApiServer.layer(options), store)
  const built = time.run(Layer.buildWithScope(layer, scope).pipe(Random.withSeed(seed)))
  if (Exit.isFailure(built)) throw new Error(String(built.cause))
  return testServerOf(time, Context.get(built.value, ApiServer))
}

export const testServerOf = (time: VirtualTime, server: ApiServerShape): TestServer => {
  const connection = server.connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
  const answer = (request: ApiRequest): Result.Result<unknown, unknown> => {
    const answers: Array<Result.Result<unknown, unknown>> = []
    connection.send(request, (result) => answers.push(result))
    // A store that takes its time answers as time goes by; a get for a future revision waits three seconds.
    for (let step = 0; answers.length === 0 && step < 100; step++) time.runUntil(time.timers.now() + 100)
    if (answers.length !== 1) throw new Error(`${answers.length} answers`)
    return answers[0] as Result.Result<unknown, unknown>
  }
  const ask = (request: ApiRequest): unknown => {
    const result = answer(request)
    if (Result.isSuccess(result)) return result.success
    throw result.failure
  }
  return {
    time,
    server,
    connection,
    ask,
    refusalOf: (request) => {
      const result = answer(request)
      if (Result.isSuccess(result)) throw new Error(`not refused: ${JSON.stringify(result.success)}`)
      if (!(result.failure instanceof ApiError)) throw result.failure
      return result.failure.status
    },
    create: <K extends KindName>(kind: K, object: unknown) => {
      const { namespace } = (object as KubeObject).metadata
      return ask({ verb: "create", kind, object, ...(namespace ? { namespace } : {}) }) as ObjectOf<K>
    },
    get: <K extends KindName>(kind: K, name: string, namespace = "default") => {
      const result = answer({ verb: "get", kind, name, namespace })
      return Result.isSuccess(result) ? (result.success as ObjectOf<K>) : undefined
    },
    list: <K extends KindName>(kind: K, listOptions: object = {}) =>
      ask({ ...listOptions, verb: "list", kind }) as ListOf<K>,
    watch: (kind, watchOptions = {}) => {
      const log = { events: [] as Array<WatchEvent>, batches: [] as Array<number>, ends: [] as Array<unknown> }
      const cancel = connection.watch(
        { ...watchOptions, verb: "watch", kind },
        {
          events: (batch) => {
            log.batches.push(batch.length)
            log.events.push(...batch)
          },
          end: (error) => log.ends.push(error)
        }
      )
      return { ...log, cancel }
    },
    settle: () => time.runUntil(time.timers.now()),
    advance: (ms) => time.runUntil(time.timers.now() + ms)
  }
}

export const node = (name: string, more: object = {}): unknown => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  ...more
})

export const pod = (name: string, spec: object = {}, metadata: object = {}): unknown => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...metadata },
  spec: { containers: [{ name: "c", image: "i:1" }], ...spec }
})

export const lease = (name: string, spec: object = {}): unknown => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: "2026-01-01T00:00:00.000000Z", ...spec }
})

/** Returns each event as `ADDED a`. */
export const eventLines = (log: WatchLog): ReadonlyArray<string> =>
  log.events.map((event) => `${event.type} ${event.type === "ERROR" ? "" : event.object.metadata.name}`)
