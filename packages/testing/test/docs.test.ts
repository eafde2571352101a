import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const textOf = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

describe("docs/how-to/test-a-controller.md", () => {
  it("shows the test of examples/testing/vitest", () => {
    const test = textOf("examples/testing/vitest/controller.test.ts")
    assert.include(textOf("docs/how-to/test-a-controller.md"), `\`\`\`ts\n${test}\`\`\`\n`)
  })
})

describe("packages/testing/README.md", () => {
  it("shows the test of examples/testing/node-test", () => {
    const test = textOf("examples/testing/node-test/controller.test.ts")
    assert.include(textOf("packages/testing/README.md"), `\`\`\`ts\n${test}\`\`\`\n`)
  })
})
