import { formatMicroTime } from "@rollcall/api"
import { type NodeControllerObserver, noObserver, type PodEviction } from "@rollcall/node-controller"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"

type Fields = Readonly<Record<string, unknown>>

/** As Go prints a time. */
const goTime = (ms: number): string => formatMicroTime(ms).replace("T", " ").replace("Z", " +0000 UTC")

const itemOf = ({ namespace, pod }: PodEviction): string => `${namespace}/${pod}`

/**
 * Puts into the log what kube-controller-manager logs of its decisions on zones and evictions, in its words, for those who look
 * for them there; evictions with `--v=4`. Upstream: pkg/controller/nodelifecycle, pkg/controller/tainteviction.
 */
export const controllerLog = (
  timers: TimersShape,
  run: (line: Effect.Effect<void>) => void
): NodeControllerObserver => {
  const info = (message: string, fields: Fields = {}) => run(Effect.logInfo(message).pipe(Effect.annotateLogs(fields)))
  const debug = (message: string, fields: Fields) => run(Effect.logDebug(message).pipe(Effect.annotateLogs(fields)))
  /** While all are down, the states that zones come to with that are not logged. */
  let areAllDown = false
  return {
    ...noObserver,
    zoneCreated: (zone) => info("Initializing eviction metric for zone", { zone }),
    zoneStateChanged: ({ to, zoneKey }) => {
      if (!areAllDown) info("Controller detected that zone is now in new state", { zone: zoneKey, newState: to })
    },
    allZonesDown: (entered) => {
      areAllDown = entered
      info(
        entered
          ? "Controller detected that all Nodes are not-Ready. Entering master disruption mode"
          : "Controller detected that some Nodes are Ready. Exiting master disruption mode"
      )
    },
    evictionScheduled: (eviction) =>
      debug("Adding TimedWorkerQueue item and to be fired at firedTime", {
        item: itemOf(eviction),
        createTime: goTime(timers.now()),
        firedTime: goTime(eviction.dueMs)
      }),
    evictionCancelled: (eviction) =>
      debug("Cancelling TimedWorkerQueue item", { item: itemOf(eviction), time: goTime(timers.now()) })
  }
}
