import { readdirSync } from "node:fs"
import { defineConfig } from "vitest/config"

/** What a test file of a package needs is loaded once for all files of a worker: none of them changes what it imports. */
const packages = readdirSync(new URL("packages", import.meta.url)).map((name) => ({
  extends: true as const,
  root: `packages/${name}`,
  test: { name: `@rollcall/${name}` }
}))

export default defineConfig({
  test: {
    projects: [...packages, "apps/*", "tooling/*"],
    isolate: false,
    // No test asserts how long something takes: a busy machine is no failure.
    testTimeout: 30_000
  }
})
