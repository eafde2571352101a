import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Case, isHttpOnly, readCases } from "../src/Case.ts"
import { findKubectl } from "../src/findKubectl.ts"
import { looseCases } from "../src/loose.ts"
import { ownWorkshops, runCases, type Verdict } from "../src/Runner.ts"

const SERVERS = 3
const ATTEMPTS = 2
const fixtures = fileURLToPath(new URL("../fixtures/transcripts", import.meta.url))
const all = readCases(fixtures)
const casesWithoutControllers = all.filter(({ controllers = false }) => !controllers)
const casesWithControllers = all.filter(({ controllers = false }) => controllers)
const kubectl = Effect.runSync(findKubectl(""))

/** All cases are run before the first is judged, several at once: one by one they would mostly wait. */
const suite = (title: string, cases: ReadonlyArray<Case>, withControllers = false) =>
  describe.skipIf(cases.length === 0)(title, () => {
    let verdicts: ReadonlyArray<Verdict> = []
    beforeAll(async () => {
      const run = Effect.gen(function* () {
        return yield* runCases(
          yield* ownWorkshops(SERVERS, kubectl?.path, withControllers),
          cases,
          () => Effect.void,
          ATTEMPTS
        )
      })
      verdicts = await Effect.runPromise(Effect.scoped(run))
    }, 300_000)
    it.each(cases.map(({ name }, index) => [name, index] as const))("%s", (_, index) =>
      assert.strictEqual(verdicts[index]?.problems.join("\n"), "")
    )
  })

suite("requests answered as by kube-apiserver", casesWithoutControllers.filter(isHttpOnly))
suite(
  "kubectl as with kube-apiserver",
  kubectl?.isRecorded === true ? casesWithoutControllers.filter((one) => !isHttpOnly(one)) : []
)
suite("controllers as kube-controller-manager's", kubectl?.isRecorded === true ? casesWithControllers : [], true)
suite("any kubectl", kubectl === undefined ? [] : looseCases(kubectl))
