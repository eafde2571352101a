import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Code, ConnectError } from "@connectrpc/connect"
import type { Pod } from "@rollcall/api"
import type { Kubelet } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Registration } from "../generated/deviceplugin_pb.ts"
import { PodResourcesLister } from "../generated/podresources_pb.ts"
import { DevicePlugins } from "./DevicePlugins.ts"
import { type Assigned, allocatableOf, podResourcesOf } from "./podResources.ts"
import { SocketFailed, serve } from "./serve.ts"

/** Makes the folder, and removes the sockets of an earlier process: plugins register again when theirs is gone. */
const prepare = (folder: string): Effect.Effect<void, SocketFailed> =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o750 })
      for (const name of readdirSync(folder))
        if (statSync(join(folder, name), { throwIfNoEntry: false })?.isSocket() === true) rmSync(join(folder, name))
    },
    catch: (error) => new SocketFailed({ message: `${folder}: ${String(error)}` })
  })

/** The sockets of a node, below the kubelet's `--root-dir`. */
export const socketPaths = (rootDir: string) => ({
  devicePlugins: join(rootDir, "device-plugins"),
  registration: join(rootDir, "device-plugins", "kubelet.sock"),
  podResources: join(rootDir, "pod-resources", "kubelet.sock")
})

/**
 * Serves a kubelet's sockets while the scope is open: the registration of device plugins (v1beta1), and the resources of its pods (v1).
 * Upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1, pkg/kubelet/apis/podresources.
 */
export const serveNodeSockets = Effect.fnUntraced(function* (
  rootDir: string,
  kubelet: Pick<Kubelet, "activePods" | "claimsOf" | "syncNodeStatus">,
  managers: Assigned
) {
  const paths = socketPaths(rootDir)
  const plugins = yield* DevicePlugins
  const context = yield* Effect.context<never>()
  plugins.attach(managers.devices, () => kubelet.syncNodeStatus())
  const pods = (): ReadonlyArray<Pod> => kubelet.activePods()
  const resourcesOf = (pod: Pod) => podResourcesOf(pod, managers, (...container) => kubelet.claimsOf(...container))
  yield* prepare(paths.devicePlugins)
  yield* serve(paths.registration, (router) =>
    router.service(Registration, {
      register: (request) =>
        Effect.runPromiseWith(context)(Effect.result(plugins.register(request))).then((outcome) => {
          if (Result.isFailure(outcome)) throw new ConnectError(outcome.failure.message, Code.Unknown)
          return {}
        })
    })
  )
  yield* prepare(join(rootDir, "pod-resources"))
  yield* serve(paths.podResources, (router) =>
    router.service(PodResourcesLister, {
      list: () => ({ podResources: pods().map(resourcesOf) }),
      get: ({ podName, podNamespace }) => {
        const pod = pods().find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace)
        if (pod !== undefined) return { podResources: resourcesOf(pod) }
        throw new ConnectError(`pod ${podName} in namespace ${podNamespace} not found`, Code.Unknown)
      },
      getAllocatableResources: () => allocatableOf(managers)
    })
  )
})
