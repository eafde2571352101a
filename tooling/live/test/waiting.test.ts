import { describe } from "vitest"
import { failoverScenario } from "./scenarios/failover.ts"
import { fullDiskScenario } from "./scenarios/fullDisk.ts"
import { leaderScenario } from "./scenarios/leader.ts"

// These tests mostly wait: run concurrently, they take as long as the longest.
describe.concurrent("tests that mostly wait", () => {
  failoverScenario()
  leaderScenario()
  fullDiskScenario()
})
