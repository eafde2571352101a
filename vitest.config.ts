import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: ["packages/*", "apps/*", "tooling/*"].map((glob) => glob),
    isolate: false
  }
})
