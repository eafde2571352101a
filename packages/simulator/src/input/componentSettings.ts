import type { Release } from "@rollcall/api"
import {
  apiServerFieldSettings,
  apiServerSettings,
  cloudControllerManagerSettings,
  controllerManagerSettings,
  leaderElectionSettings,
  readPlacing,
  schedulerSettings
} from "@rollcall/control-plane"
import { readSettingFlags } from "@rollcall/flags/settings"
import { type Given, invalid, readConfig, type SettingsTable, unknownName } from "@rollcall/input"
import { readKubeletSettings } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import { cloudKubeletFlags } from "./cloud.ts"
import type { ScenarioDocument } from "./Scenario.ts"

/** One place of a scenario with settings of a component. `value` is either the fields of its configuration or a list of its flags. */
interface Source<Table extends SettingsTable> {
  readonly path: string
  readonly table: Table
  readonly value: unknown
}

/** Reads the settings of a component from all places. A later place overrides an earlier one. */
const readComponent = Effect.fnUntraced(function* <Table extends SettingsTable>(
  file: string,
  component: string,
  sources: ReadonlyArray<Source<Table>>,
  warnings: Array<string>
) {
  let merged: Given<Table> = {}
  for (const { path, table, value } of sources) {
    if (value === undefined) continue
    const read = Array.isArray(value)
      ? readSettingFlags(component, table, { file, path }, value, warnings)
      : readConfig(table, { file, path }, value, warnings)
    merged = { ...merged, ...(yield* Effect.fromResult(read)) }
  }
  return merged
})

const managerSettings = { ...controllerManagerSettings, ...leaderElectionSettings("generic.leaderElection") }
const schedulerProcess = { ...schedulerSettings, ...leaderElectionSettings("leaderElection") }

/** The components that spec.flags can name. */
const componentNames = [
  "kube-controller-manager",
  "kube-apiserver",
  "kube-scheduler",
  "cloud-controller-manager",
  "kubelet"
]

/** Reads the settings of a scenario for the components of its control plane and for its kubelets. Adds to `warnings`. */
export const readSettings = Effect.fnUntraced(function* (
  file: string,
  spec: ScenarioDocument["spec"],
  release: Release,
  warnings: Array<string>
) {
  const unknown = Object.keys(spec.flags ?? {}).find((name) => !componentNames.includes(name))
  if (unknown !== undefined) {
    return yield* invalid(
      file,
      `spec.flags.${unknown}`,
      unknownName(`unknown component, expected ${componentNames.join(", ")}`, unknown, componentNames)
    )
  }
  const config = spec.config ?? {}
  const scheduling = yield* Effect.fromResult(
    readPlacing(file, "spec.config.scheduler", config.scheduler, release, warnings)
  )
  const flags = spec.flags ?? {}
  const at = (name: string) => `spec.config.${name}`
  const flagsAt = (name: string) => `spec.flags.${name}`
  return {
    controllerManager: yield* readComponent(
      file,
      "kube-controller-manager",
      [
        { path: at("kubeControllerManager"), table: managerSettings, value: config.kubeControllerManager },
        {
          path: flagsAt("kube-controller-manager"),
          table: managerSettings,
          value: flags["kube-controller-manager"]
        }
      ],
      warnings
    ),
    apiServer: yield* readComponent(
      file,
      "kube-apiserver",
      [
        { path: at("kubeApiserver"), table: apiServerSettings, value: config.kubeApiserver },
        { path: at("apiserver"), table: apiServerFieldSettings, value: config.apiserver },
        { path: flagsAt("kube-apiserver"), table: apiServerSettings, value: flags["kube-apiserver"] }
      ],
      warnings
    ),
    scheduler: yield* readComponent(
      file,
      "kube-scheduler",
      [
        { path: at("scheduler"), table: schedulerProcess, value: scheduling.process },
        { path: flagsAt("kube-scheduler"), table: schedulerProcess, value: flags["kube-scheduler"] }
      ],
      warnings
    ),
    placing: scheduling.placing,
    cloudControllers: yield* readComponent(
      file,
      "cloud-controller-manager",
      [
        {
          path: at("cloudControllerManager"),
          table: cloudControllerManagerSettings,
          value: config.cloudControllerManager
        },
        {
          path: flagsAt("cloud-controller-manager"),
          table: cloudControllerManagerSettings,
          value: flags["cloud-controller-manager"]
        }
      ],
      warnings
    ),
    kubelet: yield* Effect.fromResult(
      readKubeletSettings(
        file,
        config.kubelet,
        flags.kubelet ?? [],
        release,
        warnings,
        cloudKubeletFlags(config.cloudProvider, release)
      )
    )
  }
})
