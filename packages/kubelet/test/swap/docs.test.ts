import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type SwapFacts, swapByRelease } from "../../src/swap/swapByRelease.ts"

const page = readFileSync(new URL("../../../../docs/concepts/swap.md", import.meta.url), "utf8")

const columns: ReadonlyArray<readonly [heading: string, field: keyof SwapFacts]> = [
  ["release", "release"],
  ["gate NodeSwap", "gate"],
  ["failSwapOn", "failSwapOn"],
  ["behaviours (**default**)", "behaviours"],
  ["LimitedSwap, cgroup v1", "limitedSwapV1"],
  ["LimitedSwap, cgroup v2", "limitedSwapV2"]
]

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |\n`

describe("docs/concepts/swap.md", () => {
  it("shows the swap behaviour of each release", () => {
    const table = [
      row(columns.map(([heading]) => heading)),
      row(columns.map(() => "---")),
      ...swapByRelease().map((facts) => row(columns.map(([, field]) => facts[field])))
    ].join("")
    assert.include(page, table)
  })
})
