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
import { didYouMean, invalid, readConfig, readFlags, type Setting, type SettingValues } from "@rollcall/input"
import { readKubeletSettings } from "@rollcall/machines"
import * as Effect from "effect/Effect"
import { withCloudFlag } from "./cloud.ts"
import type { ScenarioDocument } from "./Scenario.ts"

const readComponent = Effect.fnUntraced(function* (
  file: string,
  sources: ReadonlyArray<{ readonly path: string; readonly settings: ReadonlyArray<Setting>; readonly value: unknown }>,
  warnings: Array<string>
) {
  let merged: SettingValues = {}
  for (const { path, settings, value } of sources) {
    if (value === undefined) continue
    const read = Array.isArray(value)
      ? readFlags(settings, file, path, value as ReadonlyArray<string>, warnings)
      : readConfig(settings, file, path, value, warnings)
    merged = { ...merged, ...(yield* Effect.fromResult(read)) }
  }
  return merged
})

const managerSettings = [...controllerManagerSettings, ...leaderElectionSettings("generic.leaderElection")]
const schedulerProcess = [...schedulerSettings, ...leaderElectionSettings("leaderElection")]

const programs = ["kube-controller-manager", "kube-apiserver", "kube-scheduler", "cloud-controller-manager", "kubelet"]

/** What a scenario tells the components of its control plane and its kubelets. */
export const readSettings = Effect.fnUntraced(function* (
  file: string,
  spec: ScenarioDocument["spec"],
  release: Release,
  warnings: Array<string>
) {
  const stranger = Object.keys(spec.flags ?? {}).find((name) => !programs.includes(name))
  if (stranger !== undefined) {
    return yield* invalid(
      file,
      `spec.flags.${stranger}`,
      `unknown component, expected ${programs.join(", ")}${didYouMean(stranger, programs)}`
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
      [
        { path: at("kubeControllerManager"), settings: managerSettings, value: config.kubeControllerManager },
        {
          path: flagsAt("kube-controller-manager"),
          settings: managerSettings,
          value: flags["kube-controller-manager"]
        }
      ],
      warnings
    ),
    apiServer: yield* readComponent(
      file,
      [
        { path: at("kubeApiserver"), settings: apiServerSettings, value: config.kubeApiserver },
        { path: at("apiserver"), settings: apiServerFieldSettings, value: config.apiserver },
        { path: flagsAt("kube-apiserver"), settings: apiServerSettings, value: flags["kube-apiserver"] }
      ],
      warnings
    ),
    scheduler: yield* readComponent(
      file,
      [
        { path: at("scheduler"), settings: schedulerProcess, value: scheduling.process },
        { path: flagsAt("kube-scheduler"), settings: schedulerProcess, value: flags["kube-scheduler"] }
      ],
      warnings
    ),
    placing: scheduling.placing,
    cloudControllers: yield* readComponent(
      file,
      [
        {
          path: at("cloudControllerManager"),
          settings: cloudControllerManagerSettings,
          value: config.cloudControllerManager
        },
        {
          path: flagsAt("cloud-controller-manager"),
          settings: cloudControllerManagerSettings,
          value: flags["cloud-controller-manager"]
        }
      ],
      warnings
    ),
    kubelet: yield* Effect.fromResult(
      readKubeletSettings(
        file,
        config.kubelet,
        withCloudFlag(flags.kubelet ?? [], config.cloudProvider, release),
        release,
        warnings
      )
    )
  }
})
