import { forbidden, type Pod } from "@rollcall/api"
import { type AdmissionPlugin, ApiServer } from "@rollcall/api-server"
import { Cluster, type Connection, ConnectionError, fromConnection } from "@rollcall/cluster"
import {
  kubeletConfig,
  makeKubelet,
  makeModelledPodRuntime,
  type PodObserver,
  type PodRuntime
} from "@rollcall/kubelet"
import { defaultProfile, type FilterPlugin, KubeScheduler, type ScorePlugin } from "@rollcall/scheduler"
import { layerMemory } from "@rollcall/store"
import { makeVirtualTime, Timers, type TimersShape } from "@rollcall/time"
import { Effect, Layer, Result } from "effect"

/** A line on which every second renewal of the node's Lease is lost; everything else passes. */
export const loseRenewals = (connection: Connection, onFailure: () => void): Connection => {
  let renewals = 0
  return {
    watch: connection.watch,
    send: (request, reply) => {
      const lost = request.kind === "Lease" && request.verb === "update" && ++renewals % 2 === 0
      if (!lost) return connection.send(request, reply)
      onFailure()
      reply(Result.fail(new ConnectionError({ message: "connection reset by peer" })))
      return () => {}
    }
  }
}

/** A runtime around another one: the first pod of an image waits 20 s until it is pulled. */
export const withImagePulls = (timers: TimersShape, runtime: PodRuntime): PodRuntime => {
  const pulled = new Set<string>()
  const waiting = new Set<PodObserver>()
  const begin = (pod: Pod, observer: PodObserver) => {
    if (waiting.delete(observer)) runtime.start(pod, observer)
  }
  return {
    start: (pod, observer) => {
      const missing = pod.spec.containers.filter(({ image = "" }) => !pulled.has(image))
      for (const { image = "" } of missing) pulled.add(image)
      if (missing.length === 0) runtime.start(pod, observer)
      else {
        waiting.add(observer)
        timers.after(20_000, () => begin(pod, observer))
      }
    },
    restart: (pod, container, observer) => runtime.restart(pod, container, observer),
    stop: (pod, graceSeconds, observer) => {
      // The runtime behind this one knows how to end what has only begun.
      begin(pod, observer)
      runtime.stop(pod, graceSeconds, observer)
    },
    runs: (pod, observer) => runtime.runs(pod, observer),
    setPodCIDR: (cidrs) => runtime.setPodCIDR(cidrs),
    networkProblem: () => runtime.networkProblem?.(),
    removeSandbox: (pod) => runtime.removeSandbox?.(pod),
    powerOff: () => {
      waiting.clear()
      runtime.powerOff()
    }
  }
}

/** Pods get a label that says who made them; images without a tag are refused. */
export const houseRules: AdmissionPlugin = {
  name: "HouseRules",
  admits: (kind, verb, subresource) => kind === "Pod" && verb === "create" && subresource === undefined,
  mutate: ({ object, userInfo }) => {
    if (object === undefined) return Result.succeed(object)
    const { metadata } = object
    return Result.succeed({
      ...object,
      metadata: { ...metadata, labels: { ...metadata.labels, maker: userInfo.user } }
    })
  },
  validate: ({ name, object }) => {
    const untagged = (object as Pod).spec.containers.find(({ image = "" }) => !image.includes(":"))
    return untagged && forbidden({ group: "", resource: "pods" }, name, `image ${untagged.image} has no tag`)
  }
}

/** Pods with the annotation `dry` stay off nodes labelled `wet`. */
export const staysDry: FilterPlugin = {
  name: "StaysDry",
  prepare: ({ pod }) =>
    pod.metadata.annotations?.dry === undefined
      ? { _tag: "Skip" }
      : {
          _tag: "Check",
          check: ({ labels }) =>
            labels.wet === undefined
              ? undefined
              : { code: "UnschedulableAndUnresolvable", plugin: "StaysDry", reasons: ["node(s) were wet"] }
        }
}

/** Cheap nodes first, whatever the other scores say. */
export const cheapFirst: ScorePlugin = {
  name: "CheapFirst",
  weight: 100,
  score: (_, nodes, __, scores) => {
    for (const [index, { labels }] of nodes.entries()) scores[index] = labels.cheap === undefined ? 0 : 100
    return true
  }
}

const nodes = { "node-1": { wet: "", cheap: "" }, "node-2": { cheap: "" }, "node-3": {} }

export const program = (log: (line: string) => void) =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const server = yield* ApiServer
    const cluster = yield* Cluster
    const say = (line: string) => log(`${Math.round((timers.now() - START) / 1000)} s  ${line}`)

    for (const [name, nodeLabels] of Object.entries(nodes)) {
      const own = server.connect({ user: `system:node:${name}`, groups: ["system:nodes"], userAgent: "kubelet" })
      const connection = loseRenewals(own, () => say(`a renewal of ${name} is lost`))
      const runtime = withImagePulls(timers, makeModelledPodRuntime(timers))
      makeKubelet(timers, { name, connection, runtime, config: kubeletConfig({ nodeLabels }) }).startKubelet()
    }
    yield* Effect.sleep("1 second")

    const create = (name: string, image: string) =>
      cluster
        .create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name, namespace: "default", annotations: { dry: "please" } },
          spec: { containers: [{ name: "main", image }] }
        })
        .pipe(Effect.catchTag("ApiError", ({ message }) => Effect.sync(() => say(`${name} is refused: ${message}`))))
    yield* create("loose", "nginx")
    yield* create("first", "nginx:1.29")
    yield* Effect.sleep("30 seconds")
    yield* create("second", "nginx:1.29")
    yield* Effect.sleep("5 seconds")

    for (const { metadata, spec, status } of (yield* cluster.list("Pod")).items) {
      const since = status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime
      say(`${metadata.name}, made by ${metadata.labels?.maker}, is ${status?.phase} on ${spec.nodeName} since ${since}`)
    }
  })

const START = Date.UTC(2026, 0, 1)
const alice = { user: "alice", groups: ["system:masters"], userAgent: "example" }

const layerWorld = KubeScheduler.layer({
  profile: { filters: [...defaultProfile.filters, staysDry], scores: [...defaultProfile.scores, cheapFirst] }
}).pipe(
  Layer.provideMerge(
    Layer.effect(
      Cluster,
      Effect.map(ApiServer, (server) => fromConnection(server.connect(alice)))
    )
  ),
  Layer.provideMerge(ApiServer.layer({ admission: [houseRules] })),
  Layer.provide(layerMemory())
)

/** Runs the program against an API server and a scheduler of its own, in virtual time. */
export const runExample = (log: (line: string) => void) =>
  makeVirtualTime(START).run(Effect.provide(program(log), layerWorld))
