import { formatMicroTime } from "@rollcall/api"
import { type NodeControllerObserver, noObserver, type PodEviction } from "@rollcall/node-controller"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"

type Fields = Readonly<Record<string, unknown>>

/** Formats a time like Go. */
const goTime = (ms: number): string => formatMicroTime(ms).replace("T", " ").replace("Z", " +0000 UTC")

const itemOf = ({ namespace, pod }: PodEviction): string => `${namespace}/${pod}`

/**
 * Logs decisions on zones and evictions with kube-controller-manager's own messages, for users who search
 * for them; evictions with `--v=4`. Upstream: pkg/controller/nodelifecycle, pkg/controller/tainteviction.
 */
export const controllerLog = (
  timers: TimersShape,
  runLog: (line: Effect.Effect<void>) => void
): NodeControllerObserver => {
  const info = (message: string, fields: Fields = {}) =>
    runLog(Effect.logInfo(message).pipe(Effect.annotateLogs(fields)))
  const debug = (message: string, fields: Fields) => runLog(Effect.logDebug(message).pipe(Effect.annotateLogs(fields)))
  /** While all zones are down, their state changes are not logged. */
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
