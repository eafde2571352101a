import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type GateStage, type GateStep, gateHistories } from "./gateHistories.ts"
import type { Release } from "./Release.ts"

export type { GateStage } from "./gateHistories.ts"

export interface GateState {
  readonly stage: GateStage
  readonly enabled: boolean
  /** Whether the gate cannot be set to another value. */
  readonly locked: boolean
}

export type FeatureGate = keyof typeof gateHistories
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>

const gates = Object.entries(gateHistories) as ReadonlyArray<[FeatureGate, ReadonlyArray<GateStep>]>

/** Gates that require another gate. */
const requiredGates: Readonly<Partial<Record<FeatureGate, FeatureGate>>> = {
  GracefulNodeShutdownBasedOnPodPriority: "GracefulNodeShutdown",
  WindowsGracefulNodeShutdown: "GracefulNodeShutdown",
  PodLevelResourceManagers: "PodLevelResources",
  ResourceHealthStatusMessage: "ResourceHealthStatus"
}

/** Returns the state of a gate in a release; undefined when the release does not have it. */
export const gateState = (release: Release, gate: FeatureGate): GateState | undefined => {
  const minor = Number(release.name.slice(release.name.indexOf(".") + 1))
  const steps: ReadonlyArray<GateStep> = gateHistories[gate]
  const step = steps.findLast(([since]) => since <= minor)
  return step === undefined ? undefined : { stage: step[1], enabled: step[2], locked: step[3] === "locked" }
}

/** The release rejects a --feature-gates setting; the message is upstream's. */
export class FeatureGateError extends Schema.TaggedError<FeatureGateError>()("FeatureGateError", {
  gate: Schema.String,
  message: Schema.String
}) {}

/** Returns the default gates of a release; a gate that the release does not have is off. */
export const featureGatesOf = (release: Release): FeatureGates => resolveAll(release, {})

/** The setting that changes all gates of a stage. */
const stageSettings: Readonly<Partial<Record<GateStage, string>>> = { alpha: "AllAlpha", beta: "AllBeta" }

const resolveAll = (release: Release, settings: Readonly<Record<string, boolean>>): FeatureGates =>
  Object.fromEntries(
    gates.map(([gate]) => {
      const state = gateState(release, gate)
      if (state === undefined) return [gate, false]
      const all = stageSettings[state.stage]
      return [gate, settings[gate] ?? (all === undefined ? undefined : settings[all]) ?? state.enabled]
    })
  ) as Record<FeatureGate, boolean>

/**
 * Returns the gates of a release with the settings of --feature-gates and configuration files, `AllAlpha` and `AllBeta`
 * included. Upstream: staging/src/k8s.io/component-base/featuregate.
 */
export const resolveFeatureGates = (
  release: Release,
  settings: Readonly<Record<string, boolean>>
): Result.Result<FeatureGates, FeatureGateError> => {
  for (const [gate, enabled] of Object.entries(settings)) {
    if (gate === "AllAlpha" || gate === "AllBeta") continue
    const fail = (message: string) => Result.fail(new FeatureGateError({ gate, message }))
    const state = isFeatureGate(gate) ? gateState(release, gate) : undefined
    if (state === undefined) return fail(`unrecognized feature gate: ${gate}`)
    if (state.locked && enabled !== state.enabled) {
      return fail(`cannot set feature gate ${gate} to ${enabled}, feature is locked to ${state.enabled}`)
    }
  }
  const values = resolveAll(release, settings)
  for (const [gate] of gates) {
    const required = requiredGates[gate]
    if (required !== undefined && values[gate] && !values[required]) {
      return Result.fail(
        new FeatureGateError({
          gate,
          message: `${gate} is enabled, but depends on features that are disabled: [${required}]`
        })
      )
    }
  }
  return Result.succeed(values)
}

export const isFeatureGate = (name: string): name is FeatureGate => Object.hasOwn(gateHistories, name)
