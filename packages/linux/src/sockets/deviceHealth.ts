import type { DeviceHealth } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { DRAResourceHealth, type NodeWatchResourcesResponse } from "../generated/drahealth_pb.ts"
import { clientOf, messageOf, PluginFailed } from "./call.ts"

const healths: ReadonlyArray<DeviceHealth["health"]> = ["Unknown", "Healthy", "Unhealthy"]

/** Upstream: ResourceHealthMessageMaxLength of staging/src/k8s.io/api/core/v1/types.go, in bytes of UTF-8. */
const MOST_MESSAGE_BYTES = 1024

/** Cuts a message as long as a status can have it. */
const shortened = (message: string): string => {
  const bytes = Buffer.from(message)
  return bytes.length <= MOST_MESSAGE_BYTES ? message : `${bytes.subarray(0, MOST_MESSAGE_BYTES - 3)}...`
}

const devicesOf = ({ devices }: NodeWatchResourcesResponse): ReadonlyArray<DeviceHealth> =>
  devices.map(({ device, health, healthCheckTimeoutSeconds, message }) => ({
    poolName: device?.poolName ?? "",
    deviceName: device?.deviceName ?? "",
    // A driver may be newer, and know more.
    health: healths[health] ?? "Unknown",
    message: shortened(message),
    timeoutMs: Number(healthCheckTimeoutSeconds) * 1000
  }))

/**
 * Follows what the driver on a socket says about its devices, and asks again 5 s after each end; undefined means that it
 * says nothing any more. Also a driver without this service is asked again and again. Upstream:
 * pkg/kubelet/cm/dra/plugin/dra_plugin_manager.go.
 */
export const followHealth = (
  endpoint: string,
  report: (devices: ReadonlyArray<DeviceHealth> | undefined) => void
): Effect.Effect<never> =>
  Effect.acquireUseRelease(
    Effect.sync(() => clientOf(DRAResourceHealth, endpoint)),
    ({ client }) => {
      const watch = Effect.suspend(() => {
        let hasReported = false
        return Stream.fromAsyncIterable(
          client.nodeWatchResources({}),
          (error) => new PluginFailed({ message: messageOf(error) })
        ).pipe(
          Stream.runForEach((response) =>
            Effect.sync(() => {
              hasReported = true
              report(devicesOf(response))
            })
          ),
          Effect.ignore,
          Effect.ensuring(Effect.sync(() => hasReported && report(undefined)))
        )
      })
      return Effect.repeat(watch, Schedule.spaced("5 seconds")).pipe(Effect.andThen(Effect.never))
    },
    ({ session }) => Effect.sync(() => session.abort())
  )
