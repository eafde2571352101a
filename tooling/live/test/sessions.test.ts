import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { rollcall, startRollcall, temporaryFolder } from "../src/process/rollcall.ts"

const page = readFileSync(new URL("../../../docs/concepts/authorization.md", import.meta.url), "utf8")

/** Matches a session with a live cluster: `<!-- session of: rollcall up --nodes 2 -->`, then commands after `$ ` with what they print. */
const SESSION = /<!-- session of: rollcall (up [^>]*?) -->\n```text\n([^`]*)```/

/** Returns the commands of a session, each with its output. */
const stepsOf = (session: string): ReadonlyArray<readonly [command: string, output: string]> =>
  session
    .split(/^\$ rollcall /m)
    .slice(1)
    .map((step) => {
      const end = step.indexOf("\n")
      return [step.slice(0, end), step.slice(end + 1).trimEnd()]
    })

describe("docs/concepts/authorization.md", () => {
  it.live(
    "shows what a live cluster answers to a node's user",
    () =>
      Effect.gen(function* () {
        const [, start = "", session = ""] = SESSION.exec(page) ?? assert.fail("the page has no session")
        const steps = stepsOf(session)
        assert.isAtLeast(steps.length, 5)
        const folder = yield* temporaryFolder
        const up = yield* startRollcall(...start.split(" "), "--port", "0", "--data-dir", folder)
        yield* up.waitForOutput(/2 nodes are Ready/)
        for (const [command, output] of steps) {
          const { stderr, stdout } = yield* rollcall(...command.split(" "), "--kubeconfig", join(folder, "admin.conf"))
          assert.strictEqual(`${stdout}${stderr}`.trimEnd(), output, command)
        }
      }).pipe(Effect.scoped, Effect.provide(layerWallClock())),
    60_000
  )
})
