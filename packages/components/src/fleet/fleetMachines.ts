import { type ComponentLog, componentLog, makeEventRecorder } from "@rollcall/cluster"
import { Machines, type MachinesOptions } from "@rollcall/machines"
import { nextRng, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { limitedLog } from "../log/limitedLog.ts"

/** The rate-limited log of the kubelets of one process; each line has its kubelet's name. */
const fleetLog = Effect.gen(function* () {
  const limited = limitedLog(yield* componentLog, yield* Timers)
  return (kubelet: string): ComponentLog =>
    (severity, message, fields) =>
      limited(severity, message, { ...fields, kubelet })
})

/** Returns the log of a kubelet by its name. */
export type KubeletLogs = Effect.Effect<(kubelet: string) => ComponentLog, never, Timers>

/** Makes machines whose kubelets log, and send Events over their own connections. */
export const layerLiveMachines = (
  options: Omit<MachinesOptions, "logOf" | "recorderOf">,
  logs: KubeletLogs = fleetLog
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const timers = yield* Timers
      const chance = yield* nextRng
      const logOf = yield* logs
      return Machines.layer({
        ...options,
        logOf,
        recorderOf: (host, connection) =>
          makeEventRecorder(connection, timers, chance, { component: "kubelet", host, log: logOf(host) })
      })
    })
  )
