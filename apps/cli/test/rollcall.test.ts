import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as PlatformError from "effect/PlatformError"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as TestConsole from "effect/testing/TestConsole"
import { assert, describe, it } from "vitest"
import { BrokenPipe } from "../src/BrokenPipe.ts"
import { ExpectationsFailed } from "../src/ExpectationsFailed.ts"
import { invariantsViolated } from "../src/InvariantsViolated.ts"
import { exitCodeOf, rollcall } from "../src/rollcall.ts"
import { makeFolder, scenario } from "./cli.ts"

describe("a bug", () => {
  it("exits 70, and asks for a bug report with the necessary details", async () => {
    const broken = FileSystem.makeNoop({ readFileString: () => Effect.die(new Error("the disk is made of cheese")) })
    const [code, stderr] = await rollcall(["simulate", "s.yaml"]).pipe(
      Effect.provideService(FileSystem.FileSystem, broken),
      Effect.exit,
      Effect.flatMap((exit) =>
        Effect.map(TestConsole.errorLines, (lines) => [exitCodeOf(exit), lines.join("\n")] as const)
      ),
      Effect.provide([NodeServices.layer, TestConsole.layer]),
      Effect.runPromise
    )
    assert.strictEqual(code, 70)
    assert.match(stderr, /^rollcall: this is a bug\. Please report .*\nrollcall \S+ simulate s\.yaml\n/)
    assert.match(stderr, /the disk is made of cheese/)
  })

  it("is also a violated invariant of the model", () => {
    const defect = invariantsViolated("small", [
      {
        at: 61.5,
        invariant: "tolerance",
        message: "default/p is evicted from a-0 although it tolerates its taints for ever"
      }
    ])
    assert.strictEqual(exitCodeOf(Exit.die(defect)), 70)
    assert.strictEqual(
      defect.message,
      "small: the result cannot be trusted.\n01:01.5, tolerance: default/p is evicted from a-0 although it tolerates its taints for ever"
    )
  })
})

describe("the exit code", () => {
  it("distinguishes the ways to end", () => {
    assert.strictEqual(exitCodeOf(Exit.void), 0)
    assert.strictEqual(exitCodeOf(Exit.fail(new ExpectationsFailed({ failed: 2 }))), 1)
    assert.strictEqual(exitCodeOf(Exit.fail(new BrokenPipe())), 141)
    assert.strictEqual(exitCodeOf(Exit.failCause(Cause.interrupt(1))), 130)
    assert.strictEqual(exitCodeOf(Exit.failCause(Cause.interrupt(1)), "up"), 130)
    assert.strictEqual(exitCodeOf(Exit.failCause(Cause.interrupt(1)), "apiserver"), 0)
  })

  it("is 2 when standard output cannot be written", async () => {
    const full = PlatformError.systemError({
      _tag: "Unknown",
      module: "Stdio",
      method: "stdout",
      cause: new Error("ENOSPC: no space left on device")
    })
    const file = makeFolder({ "s.yaml": scenario() })
    const [code, lines] = await rollcall(["simulate", file("s.yaml")]).pipe(
      Effect.provide(Stdio.layerTest({ stdout: () => Sink.fail(full) })),
      Effect.exit,
      Effect.flatMap((exit) => Effect.map(TestConsole.errorLines, (lines) => [exitCodeOf(exit), lines] as const)),
      Effect.provide([NodeServices.layer, TestConsole.layer]),
      Effect.runPromise
    )
    assert.strictEqual(code, 2)
    assert.deepStrictEqual(lines, ["rollcall: stdout: cannot be written: ENOSPC: no space left on device"])
  })
})
