import { isReleaseName, type ReleaseName, releaseNames } from "@rollcall/api"
import { compareReleases, invalid, loadScenarios, rehearse, renderComparison } from "@rollcall/simulator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { modelBroken } from "../ModelBroken.ts"
import { openOutput } from "../output.ts"

const config = {
  files: Argument.String("FILE").pipe(
    Argument.withDescription(
      "a scenario, and files of Kubernetes objects that belong to it; none: what the releases say"
    ),
    Argument.atLeast(0)
  ),
  release: Flag.String("release").pipe(
    Flag.withDescription(`a release to compare, repeatable (default: ${releaseNames.join(", ")})`),
    Flag.atLeast(0)
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("the seed of all chance (default: the scenario's)"), Flag.optional),
  set: Flag.String("set").pipe(
    Flag.withDescription("change the scenario: spec.path=value, repeatable"),
    Flag.atLeast(0)
  ),
  output: Flag.Literals("output", ["table", "json"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("table for a person, json for a program"),
    Flag.withDefault("table" as const)
  ),
  out: Flag.String("out").pipe(Flag.withDescription("write the result to this file"), Flag.optional)
}

const namesOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const names: Array<ReleaseName> = []
  for (const name of given) {
    if (!isReleaseName(name)) {
      return yield* invalid("command line", "--release", `found "${name}", expected one of ${releaseNames.join(", ")}`)
    }
    names.push(name)
  }
  return names.length === 0 ? releaseNames : names
})

/** The scenario of these files under one release. */
const under = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  name: ReleaseName,
  set: ReadonlyArray<string>,
  seed: number | undefined
) {
  const [plan, second] = yield* loadScenarios(files, { set: [...set, `spec.release="${name}"`], seed })
  if (plan === undefined || second !== undefined) {
    return yield* invalid(files[0] ?? "", "", "holds several scenarios, expected one to compare releases by")
  }
  const result = yield* rehearse(plan)
  if (result.bugs !== undefined) return yield* Effect.die(modelBroken(plan.name, result.bugs))
  return { description: plan.description, result }
})

const releasesCommand = Command.make(
  "releases",
  config,
  Effect.fnUntraced(function* ({ files, out, output: format, release, seed, set }) {
    const names = yield* namesOf(release)
    const runs =
      files.length === 0
        ? []
        : yield* Effect.forEach(names, (name) => under(files, name, set, Option.getOrUndefined(seed)))
    const comparison = compareReleases(
      names,
      files.length === 0
        ? undefined
        : { description: runs[0]?.description ?? "", results: runs.map(({ result }) => result) }
    )
    const output = yield* openOutput(Option.getOrUndefined(out))
    yield* output.write(
      format === "json" ? `${JSON.stringify(comparison, undefined, 2)}\n` : renderComparison(comparison)
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription("Put the emulated Kubernetes releases side by side, or what one outage comes to under each.")
)

/** What differs, and what that comes to. */
export const compareCommand = Command.make("compare").pipe(
  Command.withDescription("Put things side by side."),
  Command.withSubcommands([releasesCommand])
)
