import type { PersistentVolume, PersistentVolumeClaim, PodDisruptionBudget } from "@rollcall/api"
import { ApiServer } from "@rollcall/api-server"
import { splitKey } from "@rollcall/cluster"
import { identities } from "@rollcall/control-plane"
import { podSwap } from "@rollcall/kubelet"
import { MachineDirectory } from "@rollcall/machines"
import { loggedErrors, VirtualClock } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeProbe, type Probe } from "../expect/probes.ts"
import { makeWorkloads, type Workloads } from "../expect/Workloads.ts"
import type { ClusterState } from "../invariants/Invariant.ts"
import { type Invariants as InvariantsShape, makeInvariants } from "../invariants/invariants.ts"
import { makeTrace, type Trace } from "../trace/Trace.ts"
import { type Observation, type ObservationListener, observe } from "../world/Observation.ts"
import { highestRateOf } from "./evictionRates.ts"
import { Run } from "./Run.ts"
import { Audit } from "./Server.ts"

/** The trace of the run. */
export class RunTrace extends Context.Service<RunTrace, Trace>()("@rollcall/simulator/RunTrace") {
  static readonly layer: Layer.Layer<RunTrace, never, Run> = Layer.effect(
    RunTrace,
    Effect.map(Run, ({ elapsedMs }) => makeTrace({ elapsedMs }))
  )
}

/** The observed state of the API and of the workloads. Its watches start when `layerWatching` is built. */
export class Observer extends Context.Service<Observer, Observation & { readonly workloads: Workloads }>()(
  "@rollcall/simulator/Observer"
) {
  static readonly layer = Layer.effect(
    Observer,
    Effect.gen(function* () {
      const { elapsedMs, options, plan } = yield* Run
      const server = yield* ApiServer
      const trace = yield* RunTrace
      const deletionCauses = yield* Audit
      const directory = yield* MachineDirectory
      const workloads = makeWorkloads({
        unknown: plan.untrackedWorkloads,
        outside: new Set(plan.outsideOwners.map(({ uid }) => uid))
      })
      const observation = observe({
        connection: server.connect(identities.observer),
        elapsedMs,
        trace,
        workloads,
        deletionCauses,
        swapOf: (pod) => {
          const machine = directory.get(pod.spec.nodeName ?? "")
          return machine === undefined ? [] : podSwap(pod, machine.host.machine(), machine.kubelet.config, plan.release)
        },
        traceLeases: options.traceLeases === true
      })
      return { ...observation, workloads }
    })
  )
}

const clusterStateOf = (
  { registry: { kinds } }: ApiServer["Service"],
  { nodes, podOf, pods }: Observation
): ClusterState => ({
  node: (name) => nodes.get(name),
  pod: podOf,
  pods,
  budgets: (namespace) => {
    const found: Array<PodDisruptionBudget> = []
    kinds.PodDisruptionBudget.cache.visit(namespace, (object) => found.push(object as PodDisruptionBudget))
    return found
  },
  claim: (key) => {
    const { name, namespace } = splitKey(key)
    return kinds.PersistentVolumeClaim.cache.get(namespace, name)?.object as PersistentVolumeClaim | undefined
  },
  volume: (name) => kinds.PersistentVolume.cache.get("", name)?.object as PersistentVolume | undefined
})

/** The invariants of the run. Errors of callbacks are logged and recorded here, and the run continues, as a live cluster does. */
export class Invariants extends Context.Service<Invariants, InvariantsShape>()("@rollcall/simulator/Invariants") {
  static readonly layer = Layer.effect(
    Invariants,
    Effect.gen(function* () {
      const { elapsedMs, plan } = yield* Run
      const server = yield* ApiServer
      const trace = yield* RunTrace
      const observer = yield* Observer
      const directory = yield* MachineDirectory
      const time = yield* VirtualClock
      const invariants = makeInvariants({
        cluster: clusterStateOf(server, observer),
        machineOf: directory.get,
        nodesPerSecond: highestRateOf(plan),
        podsFitBy: plan.release.podsFitBy,
        elapsedMs,
        onSplitBrain: (found) => trace.add("SplitBrain", found)
      })
      server.registry.kinds.PersistentVolume.cache.observe((next, previous) =>
        invariants.volume(previous as PersistentVolume | undefined, next as PersistentVolume | undefined)
      )
      trace.listen(invariants.entry)
      observer.listen({ pod: invariants.pod, node: invariants.node })
      const logError = yield* loggedErrors
      time.setHandleError((source, error, fields) => {
        logError(source, error, fields)
        invariants.errorHandled(source, error)
      })
      return invariants
    })
  )
}

/** Adapts a probe to the changes that the observer reports. */
const listenerOf = ({ node, pod }: Probe): ObservationListener => ({
  node: node && ((previous, next, now) => node(next, (next ?? previous)?.metadata.name ?? "", now)),
  pod:
    pod &&
    ((previous, next, now) => {
      const { name = "", namespace = "" } = (next ?? previous)?.metadata ?? {}
      pod(next, namespace, name, now)
    })
})

/** The probes of the scenario's expectations, in their order. */
export class Expectations extends Context.Service<Expectations, ReadonlyArray<Probe>>()(
  "@rollcall/simulator/Expectations"
) {
  static readonly layer = Layer.effect(
    Expectations,
    Effect.gen(function* () {
      const { elapsedMs, plan } = yield* Run
      const { listen, workloads, zoneOf } = yield* Observer
      const trace = yield* RunTrace
      const probes = plan.expectations.map((expectation) => makeProbe(expectation, workloads, zoneOf))
      for (const probe of probes) {
        listen(listenerOf(probe))
        const { entry } = probe
        if (entry !== undefined) trace.listen((found) => entry(found, elapsedMs()))
      }
      return probes
    })
  )
}

/** Starts the observer, after all listeners are registered. */
export const layerWatching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { options } = yield* Run
    const trace = yield* RunTrace
    if (options.onEntry !== undefined) trace.listen(options.onEntry)
    const observer = yield* Observer
    observer.start()
  })
)
