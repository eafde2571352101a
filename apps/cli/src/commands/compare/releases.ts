import { isReleaseName, type ReleaseName, releaseNames } from "@rollcall/api"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { compareReleases } from "@rollcall/report"
import { invalid } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { rehearseOne, writeComparison } from "./shared.ts"
import type { compareReleasesTable } from "./tables.ts"

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

/** `rollcall compare releases`. */
export const runReleases = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output, release, seed, set }
}: Parsed<FlagValues<typeof compareReleasesTable.flags>>) {
  const names = yield* namesOf(release)
  const told = new Set<string>()
  const under = (name: ReleaseName) => rehearseOne(files, [...set, `spec.release="${name}"`], seed, "releases", told)
  const runs = files.length === 0 ? [] : yield* Effect.forEach(names, under)
  const rehearsed = { description: runs[0]?.description ?? "", results: runs.map(({ result }) => result) }
  yield* writeComparison(compareReleases(names, files.length === 0 ? undefined : rehearsed), output, out, files)
}, Effect.scoped)
