import { readdirSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** Real processes that keep real times: they come last, with the processors to themselves. */
const LIVE = "live"

const projects = ["packages", "apps", "tooling"].flatMap((group) =>
  readdirSync(new URL(group, import.meta.url)).map((name) => ({
    extends: true as const,
    root: `${group}/${name}`,
    test: {
      name: `@rollcall/${name}`,
      ...(name === LIVE ? { maxWorkers: 1, sequence: { groupOrder: 1 } } : {})
    }
  }))
)

export default defineConfig({
  test: {
    projects,
    // What a test file of a package needs is loaded once for all files of a worker: none of them changes what it imports.
    isolate: false,
    // One for each processor of a small machine; the rest of a larger one is for the processes that tests start.
    maxWorkers: 2,
    // No test asserts how long something takes: a busy machine is no failure.
    testTimeout: 30_000
  }
})
