import { formatTime, type ResourceClaim } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { DeviceDriver, DeviceDriversShape } from "./DeviceDriver.ts"

/** What drivers need to report devices. */
export interface ReportParts {
  readonly connection: Connection
  readonly timers: TimersShape
}

const atOnce: DeviceDriver = { prepare: (_, done) => done(), unprepare: (_, done) => done() }

/** The devices of a claim that one driver has prepared, as it reports them. */
const reported = ({ status }: ResourceClaim, driver: string, node: string, lastTransitionTime: string) =>
  (status?.allocation?.devices?.results ?? [])
    .filter((result) => result.driver === driver)
    .map(({ device, pool, shareID }) => ({
      driver,
      pool,
      device,
      ...(shareID === undefined ? {} : { shareID }),
      conditions: [
        { type: "Ready", status: "True", reason: "Prepared", message: `prepared on node ${node}`, lastTransitionTime }
      ]
    }))

/** Whether the parameters of a claim or of its class ask the driver for a report. Most drivers report nothing. */
const asksForReport = ({ status }: ResourceClaim, driver: string): boolean =>
  status?.allocation?.devices?.config?.some(
    ({ opaque }) =>
      opaque?.driver === driver &&
      Predicate.isReadonlyObject(opaque.parameters) &&
      opaque.parameters.reportDeviceStatus === true
  ) ?? false

/** A driver that is done once its report, if there is one, is written. */
const reporting = ({ connection, timers }: ReportParts, node: string, driver: string): DeviceDriver => ({
  prepare: (claim, done) => {
    if (!asksForReport(claim, driver)) {
      done()
      return
    }
    const { name = "", namespace = "", uid = "" } = claim.metadata
    const devices = reported(claim, driver, node, formatTime(timers.now()))
    const metadata = { name, namespace, uid }
    const body = { apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata, status: { devices } }
    const address = { verb: "patch", kind: "ResourceClaim", name, namespace, subresource: "status" } as const
    connection.send({ ...address, patchType: "apply", fieldManager: driver, force: true, body }, (answer) =>
      done(Result.isFailure(answer) ? answer.failure.message : undefined)
    )
  },
  // The report goes with the allocation.
  unprepare: (_, done) => done()
})

/**
 * Drivers of any name, on all nodes. They are done at once; with `report`, a claim with the parameter `reportDeviceStatus` is once its
 * devices are reported.
 */
export const modelledDrivers = (report?: ReportParts): DeviceDriversShape => ({
  of: (node, driver) => (report === undefined ? atOnce : reporting(report, node, driver))
})
