import { join } from "node:path"
import type { Client } from "@connectrpc/connect"
import type { Http2SessionManager } from "@connectrpc/connect-node"
import type { Pod } from "@rollcall/api"
import { isExtendedResource } from "@rollcall/api/validation"
import type { AllocatedResource, DeviceResources } from "@rollcall/kubelet"
import { Timers } from "@rollcall/time"
import type { DeviceManager, DevicePreference } from "@rollcall/topology"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { DevicePlugin, type Device as PluginDevice, type RegisterRequest } from "../generated/deviceplugin_pb.ts"
import { asked, clientOf, messageOf, PluginFailed } from "./call.ts"
import { type AssignedDevices, PluginTable } from "./PluginTable.ts"

const VERSION = "v1beta1"
/** Calls of a plugin that take longer fail. Upstream: KubeletPreStartContainerRPCTimeoutInSecs. */
const CALL_TIMEOUT_MS = 30_000

interface Plugin {
  readonly client: Client<typeof DevicePlugin>
  readonly session: Http2SessionManager
  readonly preStartRequired: boolean
  /** Whether it chooses among devices. */
  readonly hasPreference: boolean
}

/** Why a plugin cannot be registered; undefined if it can. */
const refusalOf = ({ endpoint, resourceName, version }: RegisterRequest): string | undefined => {
  if (version !== VERSION) {
    const supported = `Supported version is ["${VERSION}"]`
    return `requested API version ${JSON.stringify(version)} is not supported by kubelet. ${supported}`
  }
  if (!isExtendedResource(resourceName)) return `the ResourceName ${JSON.stringify(resourceName)} is invalid`
  // An endpoint is the name of a socket in the folder, and of nothing outside it.
  return endpoint === "" || endpoint.includes("/")
    ? `the endpoint ${JSON.stringify(endpoint)} is no name of a socket`
    : undefined
}

const deviceOf = ({ ID, health, topology }: PluginDevice) => ({
  id: ID,
  healthy: health === "Healthy",
  numaNodes: (topology?.nodes ?? []).map((node) => Number(node.ID))
})

/** Connects to the plugin that listens on a socket. */
const connectTo = Effect.fnUntraced(function* (path: string) {
  const { client, session } = clientOf(DevicePlugin, path)
  const options = yield* asked(() => client.getDevicePluginOptions({}, { timeoutMs: CALL_TIMEOUT_MS })).pipe(
    Effect.mapError(({ message }) => new PluginFailed({ message: `failed to get device plugin options: ${message}` })),
    Effect.tapError(() => Effect.sync(() => session.abort()))
  )
  const { getPreferredAllocationAvailable: hasPreference, preStartRequired } = options
  const plugin: Plugin = { client, session, preStartRequired, hasPreference }
  return plugin
})

/** Asks a plugin which of the devices it prefers. */
const preferred = (
  { client }: Plugin,
  { available, mustInclude, size }: DevicePreference
): Effect.Effect<ReadonlyArray<string>, PluginFailed> =>
  asked(() =>
    client.getPreferredAllocation(
      {
        containerRequests: [
          { availableDeviceIDs: [...available], mustIncludeDeviceIDs: [...mustInclude], allocationSize: size }
        ]
      },
      { timeoutMs: CALL_TIMEOUT_MS }
    )
  ).pipe(
    Effect.map(({ containerResponses: [first] }) => first?.deviceIDs ?? []),
    Effect.mapError(({ message }) => {
      const failed = `device plugin GetPreferredAllocation rpc failed with err: ${message}`
      return new PluginFailed({ message: failed })
    })
  )

/** Follows the devices of a plugin until it ends. */
const follow = (table: PluginTable<Plugin>, resource: string, plugin: Plugin): Effect.Effect<void> =>
  Effect.acquireUseRelease(
    Effect.sync(() => new AbortController()),
    ({ signal }) =>
      Stream.fromAsyncIterable(
        plugin.client.listAndWatch({}, { signal }),
        (error) => new PluginFailed({ message: messageOf(error) })
      ).pipe(
        Stream.runForEach(({ devices }) => Effect.sync(() => table.setDevices(resource, devices.map(deviceOf)))),
        Effect.catch(({ message }) =>
          Effect.logError("ListAndWatch ended unexpectedly for device plugin").pipe(
            Effect.annotateLogs({ err: message, resource })
          )
        )
      ),
    (abort) =>
      Effect.sync(() => {
        abort.abort()
        plugin.session.abort()
        table.ended(resource, plugin)
      })
  )

/** The device plugins of one kubelet. Upstream: pkg/kubelet/cm/devicemanager. */
export class DevicePlugins extends Context.Service<
  DevicePlugins,
  {
    /** Connects to a plugin, and follows its devices until it ends. */
    readonly register: (request: RegisterRequest) => Effect.Effect<void, PluginFailed>
    /** Tells the plugins of a pod's devices that its containers start. */
    readonly allocate: (pod: Pod) => Effect.Effect<void, PluginFailed>
    /** Returns how the devices of a container are. */
    readonly healthOf: (pod: Pod, container: string) => ReadonlyArray<AllocatedResource>
    /** Whether a pod has devices of plugins. */
    readonly hasDevices: (pod: Pod) => boolean
    /** What the Node shows of the plugins' devices; the same value while nothing changes. */
    readonly resources: () => DeviceResources
    /** Must be called with the kubelet's device manager before a plugin registers; `changed` is called when `resources` or the health of a device has changed. */
    readonly attach: (devices: DeviceManager, changed: () => void) => void
  }
>()("@rollcall/linux/DevicePlugins") {
  /** The plugins below a kubelet's `--root-dir`. */
  static readonly layer = (rootDir: string): Layer.Layer<DevicePlugins, never, Timers> =>
    Layer.effect(
      DevicePlugins,
      Effect.gen(function* () {
        const fibers = yield* FiberMap.make<string>()
        const table = new PluginTable<Plugin>(yield* Timers)
        const register = Effect.fnUntraced(function* (request: RegisterRequest) {
          const message = refusalOf(request)
          if (message !== undefined) return yield* new PluginFailed({ message })
          const plugin = yield* connectTo(join(rootDir, "device-plugins", request.endpoint))
          table.add(request.resourceName, plugin)
          yield* FiberMap.run(fibers, request.resourceName, follow(table, request.resourceName, plugin))
        })
        const tell = Effect.fnUntraced(function* (pod: Pod, assigned: AssignedDevices) {
          const { resource } = assigned
          const plugin = table.plugin(resource)
          if (plugin === undefined) return yield* new PluginFailed({ message: `endpoint ${resource} has been stopped` })
          const preference = plugin.hasPreference ? table.preferenceOf(pod, assigned) : undefined
          if (preference !== undefined) table.prefer(pod, assigned, yield* preferred(plugin, preference))
          const devicesIds = [...table.idsOf(pod, assigned)]
          const options = { timeoutMs: CALL_TIMEOUT_MS }
          yield* asked(() => plugin.client.allocate({ containerRequests: [{ devicesIds }] }, options))
          if (plugin.preStartRequired) yield* asked(() => plugin.client.preStartContainer({ devicesIds }, options))
        })
        return {
          register: (request) => Effect.asVoid(register(request)),
          allocate: (pod) => Effect.forEach(table.assigned(pod), (assigned) => tell(pod, assigned), { discard: true }),
          healthOf: (pod, container) => table.healthOf(pod, container),
          hasDevices: (pod) => table.assigned(pod).length > 0,
          resources: () => table.resources(),
          attach: (devices, changed) => table.attach(devices, changed)
        }
      })
    )
}
