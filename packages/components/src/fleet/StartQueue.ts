import type { Machine } from "@rollcall/machines"
import { guarded, type TimersShape } from "@rollcall/time"

/** The most kubelets of a fleet that start at the same time. */
export const MAX_STARTING = 100
/** How often it is looked which kubelets have started. */
const LOOK_MS = 5
/** A kubelet that has not started by then, because the server does not answer it, no longer holds up the others. */
const MAX_START_MS = 5_000

/** A kubelet has started when its node is registered, its Lease is synced, and its pods are known. */
const hasStarted = ({ kubelet }: Machine): boolean =>
  !kubelet.running || (kubelet.isLeaseSynced && kubelet.node !== undefined && kubelet.knownPods() !== undefined)

/**
 * Starts the kubelets of a fleet in order, a limited number at a time. If thousands of them started at once, the requests of each would
 * wait for those of all others, and a node could be registered so long before its first Lease that it counts as lost.
 */
export const makeStartQueue = (timers: TimersShape, mayStart: (machine: Machine) => boolean) => {
  let waiting: ReadonlyArray<Machine> = []
  /** When each was started, in milliseconds. */
  const starting = new Map<Machine, number>()
  let next = 0
  let isLooking = false
  const forgetStarted = () => {
    const now = timers.now()
    for (const [machine, startedMs] of starting)
      if (hasStarted(machine) || now - startedMs >= MAX_START_MS) starting.delete(machine)
  }
  const startNext = () => {
    forgetStarted()
    for (; next < waiting.length && starting.size < MAX_STARTING; next++) {
      const machine = waiting[next] as Machine
      if (!mayStart(machine)) continue
      starting.set(machine, timers.now())
      guarded(timers, "fleet", () => machine.kubelet.startKubelet(), { node: machine.name })
    }
    if (next === waiting.length) {
      waiting = []
      next = 0
    } else if (!isLooking) {
      isLooking = true
      timers.after(LOOK_MS, () => {
        isLooking = false
        startNext()
      })
    }
  }
  return {
    /** Starts these kubelets when it is their turn, those for which `mayStart` is then true. */
    start: (machines: ReadonlyArray<Machine>) => {
      waiting = [...waiting.slice(next), ...machines]
      next = 0
      startNext()
    },
    stop: () => {
      waiting = []
      next = 0
    }
  }
}
