import { InvalidInput } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { loadScenarios } from "../src/index.ts"

/** A scenario with one fact a line. */
const lines = `apiVersion: rollcall.dev/v1alpha1
kind: Scenario
metadata:
  name: x
spec:
  duration: 10m
  seed: 7
  cluster:
    nodes:
      - name: a
        count: 3
        zone: zone-a
  config:
    kubeControllerManager:
      nodeLifecycleController:
        nodeMonitorGracePeriod: 40s
  events:
    - at: 1m
      fault: partition
      nodes:
        zone: zone-a
  expect:
    - name: y
      evictions:
        zone: zone-a
      max: 3`.split("\n")

const problemsOf = (text: string) =>
  loadScenarios(["/s.yaml"]).pipe(
    Effect.provideService(FileSystem.FileSystem, FileSystem.makeNoop({ readFileString: () => Effect.succeed(text) })),
    Effect.provide(Path.layer),
    Effect.match({
      onFailure: (error) => {
        assert.instanceOf(error, InvalidInput)
        return error.problems
      },
      onSuccess: () => []
    }),
    Effect.runSync
  )

describe("problems of a scenario with one broken line", () => {
  it("have a file, a path, and a line that contains the key or the object that should have it", () => {
    const brokenKey = (line: string, letters: string) => line.replace(/([A-Za-z]+):/, `$1${letters}:`)
    const brokenValue = (line: string, letters: string) => line.replace(/: (.+)$/, `: $1${letters}`)
    let located = 0
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        fc.constantFrom(brokenKey, brokenValue),
        fc.stringMatching(/^[a-z]{1,3}$/),
        (at, breakLine, letters) => {
          const written = lines.with(at, breakLine(lines[at] ?? "", letters))
          for (const { file, line, path } of problemsOf(written.join("\n"))) {
            assert.strictEqual(file, "/s.yaml")
            assert.notStrictEqual(path, "")
            if (line === undefined) {
              // Of the document as a whole, which lacks a field.
              assert.notInclude(path, ".")
              continue
            }
            located++
            const text = written[line - 1] ?? ""
            const names = path.split(/[.[]/).map((part) => part.replace("]", ""))
            const [last = "", parent = ""] = names.toReversed()
            const isItem = /^\d+$/.test(last) || /^\d+$/.test(parent)
            const contains = [last, parent].some((name) => text.includes(`${name}:`))
            assert.isTrue(contains || (isItem && text.trimStart().startsWith("- ")), `${path} at ${text}`)
          }
        }
      ),
      { numRuns: 200 }
    )
    assert.isAbove(located, 50)
  })
})
