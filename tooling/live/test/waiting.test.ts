import { describe } from "vitest"
import { failoverStory } from "./stories/failover.ts"
import { fullDiskStory } from "./stories/fullDisk.ts"
import { leaderStory } from "./stories/leader.ts"

// They wait more than they work: together they take as long as the longest.
describe.concurrent("what takes its time", () => {
  failoverStory()
  leaderStory()
  fullDiskStory()
})
