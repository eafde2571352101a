import { CurrentRelease, type Release } from "@rollcall/api"
import type { Cluster } from "@rollcall/cluster"
import {
  CloudNodeController,
  CloudNodeLifecycleController,
  CloudNodes,
  CloudProvider,
  type ControllerInformers
} from "@rollcall/node-controller"
import type { Timers } from "@rollcall/time"
import * as Layer from "effect/Layer"
import type { ClientLimit } from "../ClientMaker.ts"
import type { PlaneCloud } from "../PlaneCloud.ts"

type Client = (name: string, limit: ClientLimit) => Layer.Layer<Cluster>

const UNLIMITED: ClientLimit = { qps: 0, burst: 0 }
const LIMIT: ClientLimit = { qps: 20, burst: 30 }

/** Runs cloud-controller-manager: the node controllers of a cloud. */
export const cloudControllerManagerLayer = (
  { controllers, provider }: PlaneCloud,
  release: Release,
  client: Client,
  isEnabled: (controller: string) => boolean = () => true
): Layer.Layer<never, never, Timers> =>
  Layer.effectDiscard(
    Layer.build(
      Layer.mergeAll(
        isEnabled("cloud-node-controller")
          ? CloudNodeController.layer(controllers).pipe(Layer.provide(client("cloud-node-controller", LIMIT)))
          : Layer.empty,
        isEnabled("cloud-node-lifecycle-controller")
          ? CloudNodeLifecycleController.layer(controllers).pipe(
              Layer.provide(client("cloud-node-lifecycle-controller", LIMIT))
            )
          : Layer.empty
      ).pipe(
        Layer.provide(CloudNodes.layer.pipe(Layer.provide(client("cloud-controller-manager", UNLIMITED)))),
        Layer.provide(Layer.succeed(CloudProvider, provider)),
        Layer.provide(Layer.succeed(CurrentRelease, release))
      )
    )
  )

/** The part of the cloud's node handling that kube-controller-manager did before there was a cloud-controller-manager. */
export const nodeControllerCloud = (
  { controllers, provider }: PlaneCloud,
  client: Client
): Layer.Layer<CloudNodeLifecycleController, never, ControllerInformers | Timers> =>
  CloudNodeLifecycleController.layer(controllers).pipe(
    Layer.provide(client("node-lifecycle-controller", LIMIT)),
    Layer.provide(CloudNodes.shared),
    Layer.provide(Layer.succeed(CloudProvider, provider))
  )
