import type { ConfigMap } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type FleetFault, faultsName, fleetNamespace } from "./FleetDocument.ts"

const key = { namespace: fleetNamespace, name: faultsName }

/** The writes of a fleet to the list of faults. */
export interface FaultRecords {
  /** Updates an entry, unless it has changed since the fleet read it. */
  readonly update: (id: string, fault: FleetFault) => Effect.Effect<void>
  /** Removes an entry; retries for as long as the API server is unreachable. */
  readonly remove: (id: string) => Effect.Effect<void>
}

/** Retries every 10 s for a day. */
const removeRetries = Schedule.spaced("10 seconds").pipe(Schedule.upTo({ times: 8_640 }))

export const makeFaultRecords = (cluster: ClusterShape, latest: () => ConfigMap | undefined): FaultRecords => {
  const removing = new Set<string>()
  return {
    update: (id, fault) => {
      const path = `/data/${id}`
      const current = latest()?.data?.[id]
      const operations = [
        { op: "test", path, value: current },
        { op: "replace", path, value: JSON.stringify(fault) }
      ]
      return cluster.patch("ConfigMap", key, "json", operations).pipe(
        Effect.asVoid,
        // The entry has changed meanwhile, and the watch delivers it again; or the list is too long.
        Effect.catch(({ message }) =>
          Effect.logWarning("A fault could not be noted in the list of faults").pipe(
            Effect.annotateLogs({ id, message })
          )
        )
      )
    },
    remove: (id) => {
      if (removing.has(id)) return Effect.void
      removing.add(id)
      return cluster.patch("ConfigMap", key, "merge", { data: { [id]: null } }).pipe(
        Effect.asVoid,
        Effect.catchIf(isNotFound, () => Effect.void),
        Effect.tapError(({ message }) =>
          Effect.logWarning("A fault that is over could not be taken off the list yet").pipe(
            Effect.annotateLogs({ id, message })
          )
        ),
        Effect.retry(removeRetries),
        Effect.ignore,
        Effect.ensuring(Effect.sync(() => removing.delete(id)))
      )
    }
  }
}
