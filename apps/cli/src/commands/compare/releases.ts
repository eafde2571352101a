import { isReleaseName, type ReleaseName, releaseNames } from "@rollcall/api"
import { compareReleases } from "@rollcall/report"
import { invalid } from "@rollcall/simulator"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { commonFlags, rehearseOne, writeComparison } from "./shared.ts"

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
  ...commonFlags
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

export const releasesCommand = Command.make(
  "releases",
  config,
  Effect.fnUntraced(function* ({ files, out, output, release, seed, set }) {
    const names = yield* namesOf(release)
    const told = new Set<string>()
    const under = (name: ReleaseName) =>
      rehearseOne(files, [...set, `spec.release="${name}"`], Option.getOrUndefined(seed), "releases", told)
    const runs = files.length === 0 ? [] : yield* Effect.forEach(names, under)
    const rehearsed = { description: runs[0]?.description ?? "", results: runs.map(({ result }) => result) }
    yield* writeComparison(compareReleases(names, files.length === 0 ? undefined : rehearsed), output, out, files)
  }, Effect.scoped)
).pipe(
  Command.withDescription("Put the emulated Kubernetes releases side by side, or what one outage comes to under each.")
)
