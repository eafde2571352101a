import { formatMicroTime, formatTime, type Lease } from "@rollcall/api"
import { Cluster, type ClusterShape, EventRecorder, LeaderElection, type LeaderElectionTimes } from "@rollcall/cluster"
import { contained, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { type Component, makeComponent } from "../Component.ts"
import { restartDelayMs } from "./restartDelay.ts"

const NAMESPACE = "kube-system"

/** Returns the identity of a process: its machine, and how often that machine has started the process so far. */
export const processIdentity = (replica: number, startCount: number): string => `control-plane-${replica}_${startCount}`

/** Returns the Lease of a component whose first process has led since before time 0. */
export const initialLease = (component: string, leaseDurationMs: number, now: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: component, namespace: NAMESPACE, uid: `${component}-lease`, creationTimestamp: formatTime(now) },
  spec: {
    holderIdentity: processIdentity(0, 1),
    leaseDurationSeconds: Math.floor(leaseDurationMs / 1000),
    acquireTime: formatMicroTime(now),
    renewTime: formatMicroTime(now),
    leaseTransitions: 0
  }
})

/** Whether an object is the leader election Lease of one of the components. */
export const isElectionLease = (
  object: { readonly kind?: string; readonly metadata: { readonly namespace?: string; readonly name?: string } },
  components: ReadonlyArray<string>
): boolean =>
  object.kind === "Lease" && object.metadata.namespace === NAMESPACE && components.includes(object.metadata.name ?? "")

export interface ElectionOptions {
  readonly component: string
  readonly replicas: number
  readonly times: LeaderElectionTimes
  readonly seed: number
  /** The processes' client for the Lease and its Events. */
  readonly client: ClusterShape
  /** Called when a different process becomes the leader. */
  readonly onLeader: (holder: string) => void
}

/** A component with several processes, of which one works at a time. */
export interface ElectedComponent extends Component {
  /**
   * Starts all processes, which then elect a leader; the first process leads, and works once the component is started.
   */
  readonly elect: Effect.Effect<void>
  /** The current or last leader. */
  readonly leading: Component
}

interface Process {
  readonly replica: number
  readonly worker: Component
  readonly endTimesMs: Array<number>
  startCount: number
  running: Fiber.Fiber<void> | undefined
}

/**
 * Runs the processes of a component as a control plane of several machines does. Each waits until it holds the Lease,
 * and then works with empty memory. One that cannot renew the Lease in time ends, and the kubelet of its machine
 * restarts it. A process that is killed does not release the Lease: its successor, also on the same machine, waits
 * until the Lease has expired.
 */
export const makeElected = <A, R>(
  { client, component, onLeader, replicas, seed, times }: ElectionOptions,
  layer: Layer.Layer<A, never, R>
): Effect.Effect<ElectedComponent, never, R | Timers> =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const processes = yield* Effect.forEach(
      Array.from({ length: replicas }, (_, replica) => replica),
      (replica) =>
        Effect.map(
          makeComponent(component, layer),
          (worker): Process => ({ replica, worker, endTimesMs: [], startCount: 0, running: undefined })
        )
    )
    let leader = processes[0]
    let isStarted = false
    const cluster = Layer.merge(Layer.succeed(Cluster, client), Layer.succeed(Timers, timers))

    const lead = (process: Process, identity: string) =>
      Effect.gen(function* () {
        const isFirst = leader === process && process.startCount === 1
        if (!isFirst) onLeader(identity)
        leader = process
        if (isStarted) yield* process.worker.start
        return yield* Effect.never
      })
    /** Runs a process from its start to its end, which comes when it loses the Lease. */
    const runOnce = (process: Process) =>
      Effect.gen(function* () {
        process.startCount++
        const identity = processIdentity(process.replica, process.startCount)
        const isFirst = process.replica === 0 && process.startCount === 1
        yield* Effect.gen(function* () {
          // The first leader is not reported as an Event.
          const recorder = isFirst ? {} : { recorder: yield* EventRecorder.make({ component }) }
          const options = { namespace: NAMESPACE, name: component, identity, ...times, ...recorder }
          yield* Effect.catchTag(LeaderElection.run(options, lead(process, identity)), "LeaseLost", () => Effect.void)
        }).pipe(
          Effect.scoped,
          Effect.provide(cluster),
          Random.withSeed(`${seed} ${component} ${identity}`),
          // A thrown error ends the process, as a panic does; the kubelet of its machine restarts it.
          (startCount) => contained(timers, "component process", startCount, { component, identity })
        )
        yield* process.worker.stop
        process.endTimesMs.push(timers.now())
        yield* Effect.sleep(restartDelayMs(process.endTimesMs))
      })
    const run = (process: Process) =>
      Effect.gen(function* () {
        process.running = yield* Effect.forkDetach(Effect.forever(runOnce(process)))
      })
    const kill = (process: Process) =>
      Effect.gen(function* () {
        const { running } = process
        process.running = undefined
        if (running !== undefined) yield* Fiber.interrupt(running)
        yield* process.worker.stop
      })
    const isDown = ({ running }: Process) => running === undefined
    const componentOf = (selected: () => ReadonlyArray<Process>): Component => ({
      name: component,
      isRunning: () => !selected().every(isDown),
      stop: Effect.suspend(() => Effect.forEach(selected(), kill, { discard: true })),
      start: Effect.suspend(() => {
        const down = processes.filter(isDown)
        if (down.length > 0) return Effect.forEach(down, run, { discard: true })
        return Effect.forEach(selected(), (process) => Effect.andThen(kill(process), run(process)), { discard: true })
      })
    })
    const all = componentOf(() => processes)
    return {
      ...all,
      elect: Effect.forEach(processes, run, { discard: true }),
      start: Effect.suspend(() => {
        if (isStarted) return all.start
        isStarted = true
        return leader === undefined || isDown(leader) ? Effect.void : leader.worker.start
      }),
      leading: componentOf(() => (leader === undefined ? [] : [leader]))
    }
  })
