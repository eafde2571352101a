import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { Sequencer } from "./tooling/check/src/Sequencer.ts"

/** Compiled code is kept for all processes that tests start: half of what a short process does is compiling what it imports. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url))
enableCompileCache(process.env.NODE_COMPILE_CACHE)

/** Real processes that keep real times. */
const LIVE = "tooling/live/test/**/*.test.ts"
const TESTS = "{packages,apps,tooling}/*/test/**/*.test.ts"

export default defineConfig({
  test: {
    projects: [
      // One project for all packages: what two packages import is loaded once for a worker, not once for each package.
      { extends: true, test: { name: "packages", include: [TESTS], exclude: [LIVE] } },
      // They come last: what they wait for in real time must not wait for others.
      { extends: true, test: { name: "live", include: [LIVE], sequence: { groupOrder: 1 } } }
    ],
    sequence: { sequencer: Sequencer },
    setupFiles: ["./vitest.setup.ts"],
    // What a test file needs is loaded once for all files of a worker: none of them changes what it imports.
    isolate: false,
    // One for each processor of a small machine; the rest of a larger one is for the processes that tests start.
    maxWorkers: 2,
    // No test asserts how long something takes: a busy machine is no failure.
    testTimeout: 60_000
  }
})
