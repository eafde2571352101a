import { parseTime } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { makeTrace, makeWorkloads, observe } from "@rollcall/simulator/scenario"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"

/** The trace of a live cluster, in the format of a rehearsal's trace. */
export interface LiveRecording {
  readonly trace: () => ReturnType<ReturnType<typeof makeTrace>["entries"]>
  /** Returns the start of the first fault in seconds of the trace, or undefined if no fault has started. */
  readonly faultAt: () => number | undefined
}

/** Records a cluster with the observer of rehearsals, until the scope closes. */
export const recordLive = Effect.fnUntraced(function* (connection: Connection) {
  const timers = yield* Timers
  const startMs = timers.now()
  const elapsedMs = () => timers.now() - startMs
  const trace = makeTrace({ elapsedMs })
  let faultAt: number | undefined
  const observation = observe({
    connection,
    elapsedMs,
    trace,
    workloads: makeWorkloads(),
    deletionCauses: { deletedBy: () => "taint-eviction", forcedBy: () => undefined },
    traceLeases: false,
    swapOf: () => []
  })
  observation.start()
  const stopFaults = connection.watch(
    { verb: "watch", kind: "ConfigMap", namespace: "kube-system", fieldSelector: "metadata.name=rollcall-faults" },
    {
      events: (batch) => {
        for (const event of batch) {
          if (event.type === "ERROR" || event.type === "BOOKMARK" || !("data" in event.object)) continue
          const [text] = Object.values(
            (event.object as { readonly data?: Readonly<Record<string, string>> }).data ?? {}
          )
          if (text === undefined || faultAt !== undefined) continue
          // The fleet prints its start time, by the cluster's clock.
          const { at } = JSON.parse(text) as { readonly at?: string }
          if (at !== undefined) faultAt = (parseTime(at) - startMs) / 1000
        }
      },
      end: () => {}
    }
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      observation.stop()
      stopFaults()
    })
  )
  const recording: LiveRecording = { trace: trace.entries, faultAt: () => faultAt }
  return recording
})
