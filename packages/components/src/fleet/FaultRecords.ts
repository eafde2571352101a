import type { ConfigMap } from "@rollcall/api"
import { type ClusterShape, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { readMap } from "../commands/maps.ts"
import { type FleetFault, faultsName, fleetNamespace } from "./FleetDocument.ts"

const key = { namespace: fleetNamespace, name: faultsName }

/** The writes of a fleet to the list of faults. */
export interface FaultRecords {
  /**
   * Updates an entry. Succeeds with false if it has changed since the fleet read it: the watch delivers the change, which
   * may be the record of another process.
   */
  readonly update: (id: string, fault: FleetFault) => Effect.Effect<boolean>
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
      const isUnchanged = readMap(cluster, faultsName).pipe(
        Effect.map((map) => map?.data?.[id] === current),
        Effect.catch(() => Effect.succeed(true))
      )
      return cluster.patch("ConfigMap", key, "json", operations).pipe(
        Effect.as(true),
        Effect.catch(({ message }) =>
          Effect.tap(isUnchanged, (unchanged) =>
            unchanged
              ? // The list is too long, or the server cannot be reached.
                Effect.logWarning("A fault could not be noted in the list of faults").pipe(
                  Effect.annotateLogs({ id, message })
                )
              : Effect.void
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
