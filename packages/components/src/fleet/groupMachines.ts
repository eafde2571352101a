import type { Release } from "@rollcall/api"
import type { KubeletConfig, KubeletSettings } from "@rollcall/kubelet"
import {
  hardwareOf,
  type MachineSpec,
  machinesOfGroup,
  readKubeletFields,
  refusedResources,
  resolveKubeletInput,
  withKubeletLayer
} from "@rollcall/machines"
import { loadStaticPods } from "@rollcall/simulator/scenario"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type FleetGroup, fleetName } from "./FleetDocument.ts"

interface GroupOptions {
  readonly release: Release
  /** Settings of every kubelet; those of a group override them. */
  readonly kubelet: KubeletSettings
  readonly warn: (problems: ReadonlyArray<string>) => void
}

/** Returns the machines of a group of a live fleet: their kubelets' configuration, hardware and static pods. */
export const groupMachines = Effect.fnUntraced(function* ({ kubelet, release, warn }: GroupOptions) {
  const { config: shared } = yield* Effect.fromResult(resolveKubeletInput(kubelet, release))

  /** Returns the configuration of a group's kubelets; without the group's settings if kubelet would refuse them. */
  const configOf = (group: FleetGroup): Result.Result<KubeletConfig, string> => {
    const where = `configmap/${fleetName}: data.${group.name}`
    const checkStart = (config: KubeletConfig) => {
      const refusal = refusedResources({ config, ...hardwareOf(group) }, release)
      return refusal === undefined
        ? Result.succeed(config)
        : Result.fail(`${where}: the kubelet would not start: ${refusal}`)
    }
    if (group.kubelet === undefined) return checkStart(shared)
    const warnings: Array<string> = []
    const withOwnSettings = readKubeletFields(
      `configmap/${fleetName}`,
      `data.${group.name}.kubelet`,
      group.kubelet,
      warnings
    ).pipe(
      Result.flatMap((layer) => resolveKubeletInput(withKubeletLayer(kubelet, layer), release)),
      Result.mapError(({ message }) => message),
      Result.flatMap((resolved) => Result.map(checkStart(resolved.config), () => resolved))
    )
    if (Result.isFailure(withOwnSettings)) {
      warn([withOwnSettings.failure])
      return checkStart(shared)
    }
    warn([...warnings, ...withOwnSettings.success.warnings])
    return Result.succeed(withOwnSettings.success.config)
  }

  /** Reads the static pod manifests of a group; none if they cannot be read. */
  const staticPodsOf = Effect.fnUntraced(function* (group: FleetGroup) {
    const warnings: Array<string> = []
    const loaded = loadStaticPods(`configmap/${fleetName}`, `data.${group.name}`, group, warnings)
    const pods = yield* Effect.catch(loaded, ({ message }) => {
      warnings.push(message)
      return Effect.succeed([])
    })
    warn(warnings)
    return pods
  })

  /** Returns machines of a group by their names; none, with a warning, if its kubelets would not start. */
  return Effect.fnUntraced(function* (group: FleetGroup, names: ReadonlyArray<string>) {
    const config = configOf(group)
    const none: ReadonlyArray<MachineSpec> = []
    if (Result.isFailure(config)) {
      warn([config.failure])
      return none
    }
    const staticPods = yield* staticPodsOf(group)
    return machinesOfGroup({ group, names, kubelet: config.success, staticPods })
  })
})
