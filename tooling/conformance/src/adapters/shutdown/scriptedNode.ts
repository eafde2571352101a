import type { Pod } from "@rollcall/api"
import type { PodKiller, ShutdownKill } from "@rollcall/shutdown"
import { killTimeoutSeconds } from "@rollcall/shutdown/rules"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { Json } from "../../Adapter.ts"

/** A pod that ends as its vector specifies. */
export interface ScriptedPod {
  readonly name: string
  readonly pod: Pod
  /** Seconds from its first kill until its containers have stopped; null if they never stop. */
  readonly stopsAfter: number | null
  /** Seconds from the start of its phase until its volumes are unmounted. */
  readonly volumesGoneAfter: number
  /** The time of the first kill in seconds, and its parameters. */
  killedAt?: number
  kill?: ShutdownKill
}

const scriptedPod = (given: Json): ScriptedPod => ({
  name: given.name,
  stopsAfter: given.stopsAfter,
  volumesGoneAfter: given.volumesGoneAfter ?? 0,
  pod: {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: given.name, uid: given.name },
    spec: {
      containers: [],
      ...(given.priority === null ? {} : { priority: given.priority }),
      ...(given.terminationGracePeriodSeconds === null
        ? {}
        : { terminationGracePeriodSeconds: given.terminationGracePeriodSeconds })
    },
    status: { phase: given.phase }
  }
})

/** A node whose pods end as a vector specifies. */
export interface ScriptedNode {
  readonly pods: ReadonlyArray<ScriptedPod>
  readonly killer: PodKiller["Service"]
  readonly events: ReadonlyArray<Json>
  /** Returns whether the containers of a pod have stopped by now. */
  readonly hasStopped: (pod: ScriptedPod) => boolean
}

const stopAt = ({ killedAt, stopsAfter }: ScriptedPod): number =>
  killedAt === undefined || stopsAfter === null ? Number.POSITIVE_INFINITY : killedAt + stopsAfter

/** Makes the node of a vector, on virtual time. */
export const scriptedNode = (timers: TimersShape, given: ReadonlyArray<Json>): ScriptedNode => {
  const pods = given.map(scriptedPod)
  const events: Array<Json> = []
  const now = () => timers.now() / 1000
  const scriptOf = (pod: Pod) => pods.find(({ name }) => name === pod.metadata.name)
  const sleepUntil = (second: number) => Effect.suspend(() => Effect.sleep(Math.max(0, second - now()) * 1000))
  const hasStopped = (pod: ScriptedPod) => stopAt(pod) <= now()
  return {
    pods,
    events,
    hasStopped,
    killer: {
      activePods: Effect.sync(() => pods.filter((pod) => !hasStopped(pod)).map(({ pod }) => pod)),
      kill: Effect.fnUntraced(function* (pod, kill) {
        const script = scriptOf(pod)
        if (script === undefined) return "stopped"
        script.killedAt ??= now()
        script.kill ??= kill
        const limit = now() + killTimeoutSeconds(kill.graceSeconds)
        const end = stopAt(script)
        yield* sleepUntil(Math.min(end, limit))
        return end <= limit ? "stopped" : "timedOut"
      }),
      volumesUnmounted: (members) =>
        sleepUntil(
          Math.max(
            ...members.map((pod) => {
              const script = scriptOf(pod)
              return (script?.killedAt ?? 0) + (script?.volumesGoneAfter ?? 0)
            })
          )
        ),
      syncNodeStatus: Effect.void,
      nodeEvent: (reason, message) => Effect.sync(() => events.push({ type: "Normal", reason, message, at: now() }))
    }
  }
}
