import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { eventually } from "../src/process/eventually.ts"
import { rollcall, startRollcall, temporaryFolder } from "../src/process/rollcall.ts"

const page = readFileSync(new URL("../../../docs/concepts/swap.md", import.meta.url), "utf8")

const block = (pattern: RegExp): string =>
  pattern.exec(page)?.[1] ?? assert.fail(`docs/concepts/swap.md has no ${pattern}`)
const scenario = block(/```yaml\n([\s\S]*?)```/)
const path = block(/^rollcall get --raw '(\S+)' /m)
const shown = block(/```json\n([\s\S]*?)\n```/)

/** Masks the parts that differ between two runs. */
const maskVaryingParts = (text: string): string =>
  text
    .replace(/"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"/g, '"TIME"')
    .replace(/"uid": "[0-9a-f-]{36}"/g, '"uid": "UID"')
    .replace(/"usageCoreNanoSeconds": \d+/g, '"usageCoreNanoSeconds": COUNT')
    .trim()

describe("docs/concepts/swap.md", () => {
  it.live(
    "shows the stats that the scenario's kubelet reports, which are unavailable while it is stopped",
    () =>
      Effect.gen(function* () {
        const folder = yield* temporaryFolder
        const file = join(folder, "swap.yaml")
        writeFileSync(file, scenario)
        const kubeconfig = join(folder, "admin.conf")
        const up = yield* startRollcall("up", "--config", file, "--port", "0", "--data-dir", folder)
        yield* up.waitForOutput(/1 node is Ready/)
        const get = (...args: ReadonlyArray<string>) => rollcall("get", ...args, "--kubeconfig", kubeconfig)
        yield* eventually("the pod runs", get("pod", "web"), ({ stdout }) => /web +2\/2 +Running/.test(stdout))
        const { stdout } = yield* get("--raw", path)
        assert.strictEqual(maskVaryingParts(stdout), maskVaryingParts(shown))
        yield* rollcall("fault", "kubelet-stop", "--node", "a-0", "--kubeconfig", kubeconfig)
        const refused = yield* eventually("the kubelet is gone", get("--raw", path), ({ code }) => code !== 0)
        assert.match(
          refused.stderr,
          /ServiceUnavailable.*: error trying to reach service: dial tcp 10\.[\d.]+:10250: connect: connection refused/
        )
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )
})
