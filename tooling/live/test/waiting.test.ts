import { describe } from "vitest"
import { fullDiskStory } from "./stories/fullDisk.ts"
import { leaderStory } from "./stories/leader.ts"
import { outageStory } from "./stories/outage.ts"

// They wait more than they work: together they take as long as the longest.
describe.concurrent("what takes its time", () => {
  outageStory()
  leaderStory()
  fullDiskStory()
})
