import type { Release } from "@rollcall/api"
import type { ControlPlaneSettings } from "@rollcall/control-plane"
import type { KubeletSettings } from "@rollcall/kubelet"
import type { PlannedCloud } from "@rollcall/machines"
import type { Plan } from "@rollcall/simulator"
import * as Context from "effect/Context"
import type { ServerSettings } from "../apiserver/ApiServerProcess.ts"
import type { FleetGroup } from "../fleet/FleetDocument.ts"

/** What a live cluster is told: all of it is data. */
export interface LiveSettings {
  readonly release: Release
  readonly seed: number
  readonly server: ServerSettings
  readonly controlPlane: ControlPlaneSettings["settings"]
  readonly kubelet: KubeletSettings
  /** What the fleet is when the cluster does not say so yet. */
  readonly groups: ReadonlyArray<FleetGroup>
  /** The cloud that the machines are of; absent: none. */
  readonly cloud?: PlannedCloud | undefined
  /** Storage classes and objects that a scenario brings; absent: there is no scenario. */
  readonly scenario?: Pick<Plan, "objects" | "storage"> | undefined
}

/** The settings of the live cluster of this process. */
export class Settings extends Context.Service<Settings, LiveSettings>()("@rollcall/components/LiveSettings") {}
