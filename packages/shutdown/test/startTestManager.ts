import { defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import {
  makeMemoryState,
  makeModelledLogind,
  makeShutdownManager,
  PodKiller,
  type PowerOff,
  type ShutdownConfig,
  type ShutdownEvent,
  ShutdownInhibitor,
  type ShutdownKill,
  ShutdownState
} from "../src/index.ts"
import { killTimeoutSeconds } from "../src/rules.ts"

export const gates = featureGatesOf(defaultRelease)

export const config = (given: Partial<ShutdownConfig> = {}): ShutdownConfig => ({
  shutdownGracePeriodMs: 0,
  shutdownGracePeriodCriticalPodsMs: 0,
  shutdownGracePeriodByPodPriority: [],
  featureGates: gates,
  ...given
})

export const twoPeriods = (totalSeconds: number, criticalSeconds: number): ShutdownConfig =>
  config({ shutdownGracePeriodMs: totalSeconds * 1000, shutdownGracePeriodCriticalPodsMs: criticalSeconds * 1000 })

export const byPriority = (...buckets: ReadonlyArray<readonly [priority: number, seconds: number]>): ShutdownConfig =>
  config({
    shutdownGracePeriodByPodPriority: buckets.map(([priority, shutdownGracePeriodSeconds]) => ({
      priority,
      shutdownGracePeriodSeconds
    }))
  })

/** The documentation's example: classes a, b, c, and the rest. */
export const documentedConfig = byPriority([100_000, 10], [10_000, 180], [1000, 120], [0, 60])

export interface PodScript {
  readonly name: string
  readonly priority?: number
  readonly grace?: number
  /** Seconds from the kill until the pod has stopped; absent: it never stops. */
  readonly stopsAfter?: number
  /** Seconds from the kill until its volumes are unmounted; absent: it has none. */
  readonly volumesAfter?: number
  readonly phase?: "Running" | "Succeeded" | "Failed"
}

export const podOf = ({ grace, name, phase = "Running", priority }: PodScript): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
  spec: {
    containers: [{ name: "c" }],
    ...(priority === undefined ? {} : { priority }),
    ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace })
  },
  status: { phase }
})

export interface TestManagerOptions {
  readonly config: ShutdownConfig
  readonly pods?: ReadonlyArray<PodScript>
  readonly inhibitDelaySeconds?: number
  readonly afterOverride?: (seconds: number, look: number) => number
  readonly state?: ShutdownState["Service"]
  readonly inhibitor?: (modelled: ShutdownInhibitor["Service"]) => ShutdownInhibitor["Service"]
  /** Seconds that posting the node's status takes. */
  readonly statusSyncSeconds?: number
  /** Called with every event of the manager. */
  readonly watched?: (event: ShutdownEvent) => void
  /** Called by each operation of the pod killer; the operation fails with what it throws. */
  readonly strike?: (operation: keyof PodKiller["Service"], pod?: string) => void
}

/** A node with its manager, in virtual time from 0; the manager has been started. */
export const startTestManager = (options: TestManagerOptions) => {
  const time = makeVirtualTime(0)
  const seconds = () => time.timers.now() / 1000
  const powerOffs: Array<{ readonly at: number; readonly why: PowerOff }> = []
  const logind = makeModelledLogind({
    timers: time.timers,
    inhibitDelayMs: (options.inhibitDelaySeconds ?? 1e6) * 1000,
    powerOff: (why) => powerOffs.push({ at: seconds(), why }),
    ...(options.afterOverride === undefined ? {} : { afterOverride: options.afterOverride })
  })
  const scripts = new Map((options.pods ?? []).map((script) => [script.name, script]))
  const killedAt = new Map<string, number>()
  const kills: Array<ShutdownKill & { readonly pod: string; readonly at: number }> = []
  const nodeEvents: Array<string> = []
  const statusSyncs: Array<number> = []
  const trace: Array<ShutdownEvent & { readonly at: number }> = []
  const logs: Array<string> = []
  const scriptOf = ({ metadata: { name = "" } }: Pod): PodScript => scripts.get(name) ?? { name }
  const since = (subject: Pod, after: number | undefined) =>
    (killedAt.get(subject.metadata.name ?? "") ?? 0) + (after ?? Number.POSITIVE_INFINITY)
  const until = (second: number) => Effect.suspend(() => Effect.sleep(Math.max(0, second - seconds()) * 1000))
  const isUp = ({ name, stopsAfter }: PodScript) => {
    const at = killedAt.get(name)
    return at === undefined || stopsAfter === undefined || at + stopsAfter > seconds()
  }
  const { strike = () => undefined } = options
  const killer: PodKiller["Service"] = {
    activePods: Effect.sync(() => {
      strike("activePods")
      return [...scripts.values()].filter(isUp).map(podOf)
    }),
    kill: Effect.fnUntraced(function* (subject, kill) {
      const { name, stopsAfter } = scriptOf(subject)
      strike("kill", name)
      kills.push({ ...kill, pod: name, at: seconds() })
      if (!killedAt.has(name)) killedAt.set(name, seconds())
      const limit = seconds() + killTimeoutSeconds(kill.graceSeconds)
      const end = since(subject, stopsAfter)
      yield* until(Math.min(end, limit))
      return end <= limit ? "stopped" : "timedOut"
    }),
    volumesUnmounted: (pods) => {
      strike("volumesUnmounted")
      return until(Math.max(0, ...pods.map((one) => since(one, scriptOf(one).volumesAfter ?? 0))))
    },
    syncNodeStatus: Effect.andThen(
      Effect.suspend(() => {
        strike("syncNodeStatus")
        return Effect.sleep((options.statusSyncSeconds ?? 0) * 1000)
      }),
      Effect.sync(() => statusSyncs.push(seconds()))
    ),
    nodeEvent: (reason, message) =>
      Effect.sync(() => {
        strike("nodeEvent")
        nodeEvents.push(`${seconds()} ${reason}: ${message}`)
      })
  }
  const manager = makeShutdownManager(options.config, {
    observe: (event) => {
      trace.push({ ...event, at: seconds() })
      options.watched?.(event)
    }
  })
  const stop = Deferred.makeUnsafe<void>()
  let startError: string | undefined
  const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
    logs.push(`${logLevel} ${Array.isArray(message) ? message.join(" ") : String(message)}`)
  })
  const services = Context.make(ShutdownInhibitor, (options.inhibitor ?? ((same) => same))(logind.inhibitor)).pipe(
    Context.add(PodKiller, killer),
    Context.add(ShutdownState, options.state ?? makeMemoryState())
  )
  time.fork(
    manager.start.pipe(
      Effect.catchTag("InhibitorError", ({ message }) =>
        Effect.sync(() => {
          startError = message
        })
      ),
      Effect.andThen(Deferred.await(stop)),
      Effect.scoped,
      Effect.provideContext(services),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
  )
  time.runUntil(0)
  const to = (second: number) => time.runUntil(second * 1000)
  return {
    manager,
    logind,
    kills,
    nodeEvents,
    statusSyncs,
    trace,
    logs,
    powerOffs,
    to,
    startError: () => startError,
    /** Sends the signal at this second. */
    signal: (second: number, shuttingDown: boolean) => {
      to(second)
      logind.emit(shuttingDown)
      to(second)
    },
    /** Ends the kubelet's process. */
    end: () => {
      Deferred.doneUnsafe(stop, Exit.void)
      to(seconds())
    },
    phases: () =>
      trace.flatMap((event) =>
        event.type === "phaseStarted"
          ? [
              `${event.at} ${event.priority}: ${event.pods.map((one) => `${one.pod.metadata.name} ${one.graceSeconds}s`).join(", ")}`
            ]
          : event.type === "phaseEnded"
            ? [`${event.at} ${event.timedOut ? "over" : "done"}`]
            : []
      )
  }
}
