import type { Release } from "@rollcall/api"
import type { ControlPlaneSettings } from "@rollcall/control-plane"
import type { KubeletSettings } from "@rollcall/kubelet"
import type { PlannedCloud } from "@rollcall/machines"
import type { Plan } from "@rollcall/simulator"
import * as Context from "effect/Context"
import type { ServerSettings } from "../apiserver/ApiServerProcess.ts"
import type { FleetGroup } from "../fleet/FleetDocument.ts"

/** The settings of a live cluster, as plain data. */
export interface LiveSettings {
  readonly release: Release
  readonly seed: number
  readonly server: ServerSettings
  readonly controlPlane: ControlPlaneSettings["settings"]
  readonly kubelet: KubeletSettings
  /** The initial groups, if the cluster has no fleet ConfigMap yet. */
  readonly groups: ReadonlyArray<FleetGroup>
  /** The cloud of the machines; absent if there is none. */
  readonly cloud?: PlannedCloud | undefined
  /** The storage classes and objects of a scenario; absent without a scenario. */
  readonly scenario?: Pick<Plan, "objects" | "storage"> | undefined
}

/** The settings of the live cluster of this process. */
export class Settings extends Context.Service<Settings, LiveSettings>()("@rollcall/components/Settings") {}
