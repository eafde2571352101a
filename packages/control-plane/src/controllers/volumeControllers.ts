import type { Cluster } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import {
  type BinderSettings,
  layerClaimProtection,
  layerEphemeralVolumes,
  layerVolumeBinder,
  layerVolumeProtection
} from "@rollcall/volumes"
import { waitForObject } from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import type { ClientLimit, ClientMaker } from "../ClientMaker.ts"

type Controller = Layer.Layer<never, never, Cluster | Timers>

const deferred = (controller: Controller): Controller =>
  waitForObject(["PersistentVolumeClaim", "PersistentVolume"], controller)

/** The controllers by their names in Kubernetes, with the service accounts of their clients. */
const controllers = (
  binder: Partial<BinderSettings>
): ReadonlyArray<readonly [controller: string, client: string, layer: Controller]> => [
  ["persistentvolume-binder-controller", "persistent-volume-binder", deferred(layerVolumeBinder(binder))],
  ["persistentvolumeclaim-protection-controller", "pvc-protection-controller", deferred(layerClaimProtection)],
  ["persistentvolume-protection-controller", "pv-protection-controller", deferred(layerVolumeProtection)],
  // Not deferred: pods with ephemeral volumes exist before their claims.
  ["ephemeral-volume-controller", "ephemeral-volume-controller", layerEphemeralVolumes]
]

/** The volume and claim controllers of kube-controller-manager, each with its own client. */
export const volumeControllers = (
  clients: ClientMaker,
  limit: ClientLimit,
  isEnabled: (controller: string) => boolean,
  binder: Partial<BinderSettings> = {}
): Layer.Layer<never, never, Timers> =>
  controllers(binder)
    .filter(([controller]) => isEnabled(controller))
    .map(([, client, layer]) => layer.pipe(Layer.provide(clients.layer(client, limit))))
    .reduce<Layer.Layer<never, never, Timers>>((all, layer) => Layer.merge(all, layer), Layer.empty)
