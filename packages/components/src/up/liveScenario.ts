import { apiServerSettings } from "@rollcall/control-plane"
import type { FlagValues } from "@rollcall/flags"
import { flagValuesOf, invalid, withoutFlags } from "@rollcall/input"
import { loadScenarios, type Plan } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import type { LiveFleet } from "../fleet/Fleet.ts"
import { fleetName } from "../fleet/FleetDocument.ts"
import type { serverFlags } from "../programs/apiserver.ts"
import { checkPlayable, type ScenarioReader, unheededFields } from "./unheededFields.ts"

export interface LiveScenarioOptions {
  readonly reader: ScenarioReader
  /** The release of the command line; empty: the scenario's. */
  readonly release: string
  /** The seed of the command line; undefined: the scenario's. */
  readonly seed?: number | undefined
  /** The command line brings layers. */
  readonly hasLayers?: boolean
}

/** The one scenario of a file, to be played live; undefined without a file. What of it has no effect is named in warnings. */
export const liveScenario = Effect.fnUntraced(function* (
  file: string,
  { hasLayers = false, reader, release, seed }: LiveScenarioOptions
) {
  if (file === "") return undefined
  const [plan, ...others] = yield* loadScenarios([file], {
    isEndless: true,
    hasLayers,
    seed,
    release: release === "" ? undefined : release
  })
  if (plan === undefined) return undefined
  if (others.length > 0) {
    const names = [plan, ...others].map(({ name }) => name).join(", ")
    return yield* invalid(
      file,
      "",
      `holds ${others.length + 1} scenarios (${names}), expected one: ${reader} plays a single one`
    )
  }
  yield* checkPlayable(reader, plan)
  for (const warning of [...plan.warnings, ...unheededFields(reader, plan)]) yield* Effect.logWarning(warning)
  return plan
})

/** The nodes of a scenario are those of its file: flags that say how many there are contradict it. */
export const checkNodesOf = (scenarioFlag: string, given: ReadonlySet<string>) => {
  const found = ["nodes", "zones"].find((name) => given.has(name))
  return found === undefined
    ? Effect.void
    : Effect.fail(
        invalid(
          "command line",
          `--${found}`,
          `the nodes are those of ${scenarioFlag}: change spec.cluster.nodes of the file`
        )
      )
}

type ServerValues = FlagValues<typeof serverFlags>

/** An API server's flags, with the scenario's where the command line has none. */
export const withScenario = <Values extends ServerValues>(
  values: Values,
  given: ReadonlySet<string>,
  plan: Plan | undefined
): Values => ({
  ...values,
  ...flagValuesOf(apiServerSettings, withoutFlags(apiServerSettings, plan?.settings.apiServer ?? {}, given))
})

/** A cluster that has a fleet keeps it, whatever a file or a flag says. */
export const tellOfOtherFleet = ({ isAsTold, size }: LiveFleet) =>
  isAsTold
    ? Effect.void
    : Effect.logWarning("The cluster has a fleet already, which stays as it is: rollcall nodes changes it").pipe(
        Effect.annotateLogs({ configmap: `kube-system/${fleetName}`, kubelets: size() })
      )
