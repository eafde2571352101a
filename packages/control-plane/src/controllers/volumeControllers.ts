import type { Cluster } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import {
  type BinderSettings,
  layerAttributesProtection,
  layerClaimProtection,
  layerEphemeralVolumes,
  layerVolumeBinder,
  layerVolumeExpander,
  layerVolumeProtection
} from "@rollcall/volumes"
import { waitForObject } from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "../ClientMaker.ts"

type Controller = Layer.Layer<never, never, Cluster | Timers>

/** Starts the controller when the first claim or volume exists. */
const deferred = (controller: Controller): Controller =>
  waitForObject(["PersistentVolumeClaim", "PersistentVolume"], controller)

interface VolumeController {
  /** The name of the controller in Kubernetes. */
  readonly name: string
  /** The name of its client, which is that of its service account. */
  readonly client: string
  readonly layer: Controller
}

const controllers = (binder: Partial<BinderSettings>): ReadonlyArray<VolumeController> => [
  {
    name: "persistentvolume-binder-controller",
    client: "persistent-volume-binder",
    layer: deferred(layerVolumeBinder(binder))
  },
  { name: "persistentvolume-expander-controller", client: "expand-controller", layer: deferred(layerVolumeExpander) },
  {
    name: "persistentvolumeclaim-protection-controller",
    client: "pvc-protection-controller",
    layer: deferred(layerClaimProtection)
  },
  {
    name: "persistentvolume-protection-controller",
    client: "pv-protection-controller",
    layer: deferred(layerVolumeProtection)
  },
  {
    name: "volumeattributesclass-protection-controller",
    client: "volumeattributesclass-protection-controller",
    layer: waitForObject(["VolumeAttributesClass"], layerAttributesProtection)
  },
  // Not deferred: pods with ephemeral volumes exist before their claims.
  { name: "ephemeral-volume-controller", client: "ephemeral-volume-controller", layer: layerEphemeralVolumes }
]

/** The volume and claim controllers of kube-controller-manager, each with its own client. */
export const volumeControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  isEnabled: (controller: string) => boolean,
  binder: Partial<BinderSettings> = {}
): Layer.Layer<never, never, Timers> =>
  controllers(binder)
    .filter(({ name }) => isEnabled(name))
    .map(({ client, layer }) => layer.pipe(Layer.provide(clients.layer(client, limit))))
    .reduce<Layer.Layer<never, never, Timers>>((all, layer) => Layer.merge(all, layer), Layer.empty)
