import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const folder = fileURLToPath(new URL("..", import.meta.url))
const examples = [...readFileSync(`${folder}/README.md`, "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code = ""]) => code
)

const run = (code: string, env: Record<string, string> = {}): string =>
  execFileSync(process.execPath, ["--input-type=module-typescript", "--eval", code], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env }
  })

describe("the README's examples", () => {
  it("show the machine", () => {
    const [host = ""] = examples
    assert.match(run(host), /cgroup v[12]\ncapacity \{\n {2}cpu: '\d+'/)
  }, 30_000)

  it("say when there is no logind", () => {
    const [, logind = ""] = examples
    const said = run(logind, { DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/nowhere/bus" })
    assert.match(said, /^no logind here: .*ENOENT/)
  }, 30_000)
})
