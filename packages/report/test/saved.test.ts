import { parseDocuments } from "@rollcall/input/documents"
import { loadScenarioText, rehearse } from "@rollcall/simulator"
import type { ScenarioResult } from "@rollcall/simulator/result"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  checkReported,
  compareReleases,
  compareSettings,
  type Reported,
  type ReportFormat,
  renderComparison,
  renderComparisonJson,
  renderEnd,
  renderOne,
  renderReported
} from "../src/index.ts"
import { reportFormats } from "../src/render.ts"
import { read } from "./incidents.ts"

const resultsOf = (name: string, set: ReadonlyArray<string> = []): ReadonlyArray<ScenarioResult> =>
  Effect.runSync(
    loadScenarioText(read(name), { name, set, files: { "manifests/web.yaml": read("manifests/web.yaml") } })
  ).map((plan) => Effect.runSync(rehearse(plan)))

const textOf = (format: ReportFormat, reported: ReadonlyArray<Reported>): string =>
  Result.getOrThrow(renderReported(format, reported)).join("")

const readBack = (file: string, text: string): ReadonlyArray<Reported> =>
  Result.getOrThrow(parseDocuments(file, text)).map((document) => Result.getOrThrow(checkReported(document)))

/** The output of `rollcall simulate`, run by run. */
const writtenOf = (format: ReportFormat, results: ReadonlyArray<ScenarioResult>): string =>
  [...results.map((result, index) => renderOne(format, result, index)), renderEnd(format, results)].join("")

/** Outages, drains, shutdowns, faults, volumes, releases; several scenarios in one file. */
const saved: ReadonlyArray<readonly [name: string, set?: ReadonlyArray<string>]> = [
  ["zone-outage.yaml"],
  ["zone-outage.yaml", ['spec.release="1.4"']],
  ["control-plane-blip.yaml"],
  ["memory-pressure.yaml"],
  ["priority-shutdown-gaps.yaml"],
  ["incidents/clock-step.yaml"],
  ["incidents/drain-walled.yaml"],
  ["incidents/runtime-hangs.yaml"],
  ["incidents/spot-reclaimed.yaml"],
  ["incidents/static-pods-die-first.yaml"],
  ["incidents/toleration-lengthened-too-late.yaml"],
  ["incidents/zonal-disks.yaml"]
]

describe("a report on a saved result", () => {
  for (const [name, set] of saved) {
    it(`is the one that the run itself gave: ${name}${set === undefined ? "" : ` with ${set.join()}`}`, () => {
      const results = resultsOf(name, set)
      for (const [file, text] of [
        ["r.json", writtenOf("json", results)],
        ["r.yaml", writtenOf("yaml", results)]
      ] as const) {
        const again = readBack(file, text)
        for (const format of reportFormats) assert.strictEqual(textOf(format, again), writtenOf(format, results))
      }
    }, 20_000)
  }

  it("is one for results of several files, side by side", () => {
    const results = ["zone-outage.yaml", "small-zone-half-dead.yaml"].flatMap((name) => resultsOf(name))
    const again = results.flatMap((result) => readBack("r.json", renderOne("json", result, 0)))
    assert.strictEqual(textOf("table", again), writtenOf("table", results))
    assert.include(textOf("table", again), "SIDE BY SIDE")
    assert.strictEqual(textOf("html", again), writtenOf("html", results))
  })
})

describe("a saved comparison", () => {
  it("is shown as it was: of releases, and of the values of a setting", () => {
    const runs = ["30s", "50s"].map((value) => ({
      value,
      results: resultsOf("zone-outage.yaml", [
        `spec.flags.kube-controller-manager=[--node-monitor-grace-period=${value}]`
      ])
    }))
    for (const comparison of [compareReleases(), compareSettings("spec.x", { description: "An outage.", runs })]) {
      const again = readBack("c.json", renderComparisonJson(comparison))
      assert.strictEqual(textOf("table", again), renderComparison(comparison))
      assert.strictEqual(textOf("json", again), renderComparisonJson(comparison))
      const refused = renderReported("html", again)
      assert.isTrue(Result.isFailure(refused))
      if (Result.isFailure(refused)) {
        const message = `command line: --output: found "html", expected table or json for a ${comparison.kind}`
        assert.strictEqual(refused.failure.message, message)
      }
    }
  })
})
