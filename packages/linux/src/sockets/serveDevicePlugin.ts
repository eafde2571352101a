import { join } from "node:path"
import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Device, DevicePreference } from "@rollcall/topology"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ContainerAllocateResponseSchema, DevicePlugin, Registration } from "../generated/deviceplugin_pb.ts"
import { clientOf, PluginFailed } from "./call.ts"
import { serve } from "./serve.ts"

/** A device plugin. */
export interface DevicePluginOptions {
  /** The extended resource of its devices, `example.com/gpu`. */
  readonly resource: string
  /** The name of its socket. */
  readonly endpoint: string
  /** All its devices, now and after each change. */
  readonly devices: Stream.Stream<ReadonlyArray<Device>>
  /** Called when a container with these devices is to start; returns what the container needs. Throws if it must not start. */
  readonly allocate: (ids: ReadonlyArray<string>) => MessageInitShape<typeof ContainerAllocateResponseSchema>
  /** Called before that to choose `size` of the available devices, some of which must be among them; absent if the plugin has no preference. */
  readonly prefer?: (preference: DevicePreference) => ReadonlyArray<string>
  /** Called before each start of such a container; absent if the plugin need not know. */
  readonly preStart?: (ids: ReadonlyArray<string>) => void
}

const listOf = (devices: ReadonlyArray<Device>) => ({
  devices: devices.map(({ healthy, id, numaNodes }) => ({
    ID: id,
    health: healthy ? "Healthy" : "Unhealthy",
    ...(numaNodes.length === 0 ? {} : { topology: { nodes: numaNodes.map((node) => ({ ID: BigInt(node) })) } })
  }))
})

/**
 * Serves a device plugin in a folder of the node, `/var/lib/kubelet/device-plugins`, and registers it with the kubelet there, while the
 * scope is open. Any kubelet will do.
 */
export const serveDevicePlugin = Effect.fnUntraced(function* (
  folder: string,
  { allocate, devices, endpoint, prefer, preStart, resource }: DevicePluginOptions
) {
  const options = { preStartRequired: preStart !== undefined, getPreferredAllocationAvailable: prefer !== undefined }
  yield* serve(join(folder, endpoint), (router) =>
    router.service(DevicePlugin, {
      getDevicePluginOptions: () => options,
      listAndWatch: () => Stream.toAsyncIterable(Stream.map(devices, listOf)),
      getPreferredAllocation: ({ containerRequests }) => ({
        containerResponses: containerRequests.map(({ allocationSize, availableDeviceIDs, mustIncludeDeviceIDs }) => {
          const preference = { available: availableDeviceIDs, mustInclude: mustIncludeDeviceIDs, size: allocationSize }
          return { deviceIDs: [...(prefer?.(preference) ?? [])] }
        })
      }),
      allocate: ({ containerRequests }) => ({
        containerResponses: containerRequests.map(({ devicesIds }) => allocate(devicesIds))
      }),
      preStartContainer: ({ devicesIds }) => {
        preStart?.(devicesIds)
        return {}
      }
    })
  )
  const socket = join(folder, "kubelet.sock")
  yield* Effect.acquireUseRelease(
    Effect.sync(() => clientOf(Registration, socket)),
    ({ client }) =>
      Effect.tryPromise({
        try: () =>
          client.register({
            version: "v1beta1",
            endpoint,
            resourceName: resource,
            options
          }),
        catch: (error) => new PluginFailed({ message: `${socket}: ${String(error)}` })
      }),
    ({ session }) => Effect.sync(() => session.abort())
  )
})
