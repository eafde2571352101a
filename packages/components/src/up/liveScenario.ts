import { apiServerSettings } from "@rollcall/control-plane"
import type { FlagValues } from "@rollcall/flags"
import { flagValuesOf, invalid, withoutFlags } from "@rollcall/input"
import { loadScenarios, type Plan } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import type { LiveFleet } from "../fleet/Fleet.ts"
import { fleetName } from "../fleet/FleetDocument.ts"
import type { serverFlags } from "../programs/apiserver.ts"
import { checkPlayable, ignoredFields, type ScenarioReader } from "./ignoredFields.ts"

export interface LiveScenarioOptions {
  readonly reader: ScenarioReader
  /** The release of the command line; if empty, that of the scenario counts. */
  readonly release: string
  /** The seed of the command line; if undefined, that of the scenario counts. */
  readonly seed?: number | undefined
  /** Whether the command line has `--layers`. */
  readonly hasLayers?: boolean
}

/** Loads the single scenario of a file for a live run; undefined without a file. Warns of fields without effect. */
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
  for (const warning of [...plan.warnings, ...ignoredFields(reader, plan)]) yield* Effect.logWarning(warning)
  return plan
})

/** Fails if flags for the number of nodes were given besides a scenario, which defines the nodes. */
export const refuseNodeFlags = (scenarioFlag: string, given: ReadonlySet<string>) => {
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

/** Returns the flags of an API server, with the scenario's values for flags that were not given. */
export const withScenario = <Values extends ServerValues>(
  values: Values,
  given: ReadonlySet<string>,
  plan: Plan | undefined
): Values => ({
  ...values,
  ...flagValuesOf(apiServerSettings, withoutFlags(apiServerSettings, plan?.settings.apiServer ?? {}, given))
})

/** Logs that an existing fleet was kept, although a file or flags describe another. */
export const warnOfOtherFleet = ({ matchesGroups, size }: LiveFleet) =>
  matchesGroups
    ? Effect.void
    : Effect.logWarning("The cluster has a fleet already, which stays as it is: rollcall nodes changes it").pipe(
        Effect.annotateLogs({ configmap: `kube-system/${fleetName}`, kubelets: size() })
      )
