import { isReleaseName, type ReleaseName, releaseNames } from "@rollcall/api"
import type { FlagValues, Parsed } from "@rollcall/flags"
import { compareReleases, inTurnOrder } from "@rollcall/report"
import * as Effect from "effect/Effect"
import { Rehearsals } from "../../rehearsals/Rehearsals.ts"
import { usageError } from "../../usageError.ts"
import { layerParallel, rehearseJob, writeComparison } from "./shared.ts"
import type { compareReleasesTable } from "./tables.ts"

/** Returns the releases with these names, or all releases if there are no names. */
const releasesToCompare = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const names: Array<ReleaseName> = []
  for (const name of given) {
    if (!isReleaseName(name)) {
      return yield* usageError(`found "${name}", expected one of ${releaseNames.join(", ")}`, "--release")
    }
    names.push(name)
  }
  return names.length === 0 ? releaseNames : names
})

/** Runs `rollcall compare releases`. Without files it compares only the settings of the releases. */
export const runReleases = Effect.fnUntraced(function* ({
  operands: files,
  values: { out, output, parallel, release, seed, set }
}: Parsed<FlagValues<typeof compareReleasesTable.flags>>) {
  const names = yield* releasesToCompare(release)
  const printed = new Set<string>()
  const rehearseRelease = (name: ReleaseName) =>
    rehearseJob({ files, set: [...set, `spec.release="${name}"`], seed, compared: "releases" }, printed)
  const rehearseAll = Effect.flatMap(Rehearsals, ({ concurrency }) => inTurnOrder(names, concurrency, rehearseRelease))
  const runs = files.length === 0 ? [] : yield* Effect.provide(rehearseAll, layerParallel(parallel, names.length))
  const rehearsed = { description: runs[0]?.description ?? "", results: runs.map(({ result }) => result) }
  yield* writeComparison(compareReleases(names, files.length === 0 ? undefined : rehearsed), output, out, files)
}, Effect.scoped)
