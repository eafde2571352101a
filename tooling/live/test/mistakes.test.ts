import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { Mistake, ProgramName } from "../src/mistakes/mistakes.ts"
import { errorsOf, mistakesTable, readinessOf } from "../src/mistakes/mistakesTable.ts"
import { playMistakes, type Symptoms } from "../src/mistakes/playMistakes.ts"

const CERTIFICATE_ERROR = /tls: failed to verify certificate: x509: certificate/

/** The reason of each mistake, which every resulting log line must contain. */
const reasons: Readonly<Record<Exclude<Mistake, "none">, RegExp>> = {
  "wrong token": /Unauthorized$/,
  "wrong server": /"https:\/\/127\.0\.0\.1:\d+\/.*dial tcp 127\.0\.0\.1:\d+: connect: connection refused$/,
  "wrong name": /forbidden: .*(?:User "kube-|User "system:node:kubelet-wrong-name"|node "kubelet-wrong-name")/,
  "unknown authority": new RegExp(`${CERTIFICATE_ERROR.source} signed by unknown authority$`),
  "expired certificate": /Unauthorized$/,
  "wrong clock": new RegExp(`${CERTIFICATE_ERROR.source} has expired or is not yet valid: current time \\S+ is before`)
}

/** The log messages of each program, and its failed checks of `/readyz`. */
const messages: Readonly<Record<ProgramName, ReadonlyArray<string>>> = {
  kubelet: ["Failed to ensure lease exists, will retry", "Failed to watch"],
  "controller-manager": ["Error retrieving lease lock"],
  scheduler: ["Error retrieving lease lock"]
}
const checks: Readonly<Record<ProgramName, ReadonlyArray<string>>> = {
  kubelet: ["node-registration", "node-lease"],
  "controller-manager": ["leaderElection"],
  scheduler: ["leaderElection"]
}

const assertSymptoms = (sight: Symptoms) => {
  const { described, healthz, log, mistake, program, readyz } = sight
  const what = `${program}, ${mistake}:\n${log.join("\n")}`
  const errors = errorsOf(sight)
  assert.strictEqual(healthz.code, 200, what)
  if (mistake === "none") {
    assert.deepStrictEqual([...errors], [], what)
    assert.deepStrictEqual(readyz, { code: 200, failed: [] }, what)
    assert.strictEqual(readinessOf(sight), "Ready True KubeletReady")
    assert.match(described, /Starting +\S+ +kubelet +Starting kubelet\./)
    return
  }
  assert.strictEqual(readyz.code, 500, what)
  assert.deepStrictEqual(readyz.failed, checks[program], what)
  assert.includeMembers([...errors.keys()], [...messages[program]], what)
  for (const err of errors.values()) assert.match(err, reasons[mistake], what)
  assert.strictEqual(
    readinessOf(sight),
    program === "kubelet" ? "Ready Unknown NodeStatusUnknown" : "Ready True KubeletReady"
  )
}

describe("programs with connection mistakes", () => {
  it.live(
    "log the cause, are not ready, and leave their nodes Unknown",
    () =>
      Effect.gen(function* () {
        const { serverLog, symptoms } = yield* playMistakes
        for (const sight of symptoms) assertSymptoms(sight)
        const refused = /^E.* "Unable to authenticate the request" err="\[(.*?)\]"/gm
        const reasons = Array.from(serverLog.matchAll(refused), ([, reason = ""]) => reason)
        assert.isTrue(reasons.includes("invalid bearer token"), serverLog)
        const expired =
          /^verifying certificate SN=\d+, SKID=[0-9A-F:]+, AKID=[0-9A-F:]* failed: x509: certificate has expired or is not yet valid: current time \S+ is after \S+$/
        assert.isTrue(
          reasons.some((reason) => expired.test(reason)),
          serverLog
        )
        assert.strictEqual(mistakesTable(symptoms).split("\n").length, 2 + symptoms.length)
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    180_000
  )
})
