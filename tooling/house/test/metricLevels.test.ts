import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"

const packages = join(import.meta.dirname, "../../../packages")

/** A metric that a source file makes: its name as written there, and the beginning of its description. */
const metric = /Metric\.(?:gauge|counter|histogram)\(\s*([^,]+),\s*\{\s*description(?::\s*["`]?(.{8}))?/g

const sources = readdirSync(packages).flatMap((name) =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(packages, name, "src", file))
)

const made = sources.flatMap((file) =>
  Array.from(readFileSync(file, "utf8").matchAll(metric), ([, name = "", description = ""]) => ({ name, description }))
)

it("finds a stability level in the help of each metric of Kubernetes, as its own metrics have it", () => {
  assert.isAbove(made.length, 50)
  const without = made.filter(
    ({ description, name }) =>
      !/^\[(ALPHA|BETA|STABLE)\]/.test(description) && !name.startsWith('"rollcall_') && description !== ""
  )
  assert.deepStrictEqual(without, [])
})
