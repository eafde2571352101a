import { ConnectionError } from "@rollcall/cluster"
import { assert, describe, it } from "vitest"
import { outcomeOf } from "../src/internal/Env.ts"
import { updatesTimedOut } from "../src/node/CutUpdates.ts"
import { moveGrid } from "../src/node/StatusGrid.ts"
import { beginStatusPass, statusAttemptFailed, statusAttemptsTimedOut } from "../src/node/StatusPass.ts"
import { beginLeaseSync, type LeaseSync, leaseAnswered, leaseSlept, leaseTimedOut } from "../src/nodelease/LeaseSync.ts"

const TIMEOUT_MS = 10_000
const START_MS = 1234.5
const timedOut = outcomeOf(new ConnectionError({ message: "timed out" }))
const hasOwner = () => true

/** The reads and sleeps of a lease's sync of which each read times out: when each begins, and what it waits for until when. */
const stepsOf = (first: LeaseSync<string>, count: number) => {
  const steps = []
  let state = first
  let at = START_MS
  for (let step = 0; step < count; step++) {
    steps.push({ state, fromMs: at, untilMs: at + TIMEOUT_MS, sentAtMs: at, wakesAtMs: undefined })
    const { action, state: asleep } = leaseAnswered(state, timedOut, undefined, hasOwner)
    assert(action.type === "sleep")
    const sentAtMs = at
    at += TIMEOUT_MS
    const wakesAtMs = at + action.ms
    steps.push({ state: asleep, fromMs: at, untilMs: wakesAtMs, sentAtMs, wakesAtMs })
    state = leaseSlept(asleep).state
    at = wakesAtMs
  }
  return steps
}

describe("reads that a cut link has taken over", () => {
  it("leave a lease's sync where each request and sleep would have, at the first and the last instant of each", () => {
    const { state: first } = beginLeaseSync<string>(undefined, hasOwner)
    for (const { fromMs, state, untilMs, ...waits } of stepsOf(first, 12)) {
      for (const nowMs of [fromMs + 0.001, untilMs]) {
        assert.deepStrictEqual(leaseTimedOut(first, START_MS, TIMEOUT_MS, nowMs), { state, ...waits })
      }
    }
  })

  it("leave an update of the status at the attempt that waits, and at the last one after that", () => {
    const first = statusAttemptFailed(beginStatusPass({ lastReportMs: 1, delayMs: 0 }).state).state
    let state = first
    for (let at = START_MS; state.attempt < 5; at += TIMEOUT_MS) {
      const waits = { attempt: state.attempt, sentAtMs: at }
      assert.deepStrictEqual(statusAttemptsTimedOut(first.attempt, START_MS, TIMEOUT_MS, at + 0.001), waits)
      assert.deepStrictEqual(statusAttemptsTimedOut(first.attempt, START_MS, TIMEOUT_MS, at + TIMEOUT_MS), waits)
      state = statusAttemptFailed(state).state
    }
    const last = statusAttemptsTimedOut(first.attempt, START_MS, TIMEOUT_MS, Number.POSITIVE_INFINITY)
    assert.deepStrictEqual(last, { attempt: state.attempt, sentAtMs: START_MS + 3 * TIMEOUT_MS })
  })

  it("leave the updates of a status where each patch, read and pause would have, and where the report is not due yet", () => {
    const cadence = { frequencyMs: 10_000, jitter: 0.04 }
    for (const dueMs of [0, START_MS + 130_000]) {
      const first = { atMs: START_MS, seed: 7 }
      const at = (nowMs: number) => updatesTimedOut({ cadence, dueMs, grid: first }, TIMEOUT_MS, nowMs)
      let grid = first
      for (let update = 0; update < 4; update++) {
        const hasEnded = update > 0
        let sentAtMs = grid.atMs
        for (let attempt = 1; attempt <= 5; attempt++, sentAtMs += TIMEOUT_MS) {
          const waits = { grid, attempt, sentAtMs, hasEnded }
          assert.deepStrictEqual(at(sentAtMs + 0.001), waits)
          assert.deepStrictEqual(at(sentAtMs + TIMEOUT_MS), waits)
        }
        const ended = { atMs: sentAtMs, seed: grid.seed }
        grid = moveGrid(ended, cadence, Math.max(sentAtMs, dueMs))
        const pauses = { grid: ended, attempt: undefined, sentAtMs, hasEnded: true }
        assert.deepStrictEqual(at(sentAtMs + 0.001), pauses)
        assert.deepStrictEqual(at(grid.atMs - 0.001), pauses)
      }
      assert.isAtLeast(grid.atMs, dueMs)
    }
  })
})
