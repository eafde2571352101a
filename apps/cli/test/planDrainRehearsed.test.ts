import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { makeFolder, run } from "./cli.ts"

const examples = fileURLToPath(new URL("../../../examples/drain", import.meta.url))

interface Replaced {
  readonly name: string
  readonly leaves: { readonly expected?: number }
  readonly block?: { readonly message: string }
  readonly replacement?: { readonly kind: string; readonly message?: string }
}

interface Entry {
  readonly at: number
  readonly type: string
  readonly by?: string
  readonly pod: string
  readonly message: string
}

const DRAINED_AT = 120

/** Examples whose pods a modelled kubelet can run, with the scenario fields for the flags. */
const cases: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "budget-waits": {},
  "budget-walled": {},
  "single-replica": {},
  "no-room": {},
  "zone-spread": {},
  "several-nodes": {},
  "two-budgets": {},
  timeout: { timeout: "20s" },
  "empty-dir-deleted": { deleteEmptydirData: true },
  "bare-pods-forced": { force: true, gracePeriodSeconds: 5 }
}

describe("a rehearsal confirms the plan", () => {
  for (const [name, flags] of Object.entries(cases)) {
    it(`${name}: the same pods are evicted, as many are replaced, and unschedulable ones have the same reason`, async () => {
      const plan = JSON.parse(readFileSync(join(examples, name, "plan.json"), "utf8"))
      const nodes: ReadonlyArray<{ readonly name: string; readonly pods: ReadonlyArray<Replaced> }> = plan.nodes
      const names = nodes.map((node) => node.name)
      const scenario = {
        apiVersion: "rollcall.dev/v1alpha1",
        kind: "Scenario",
        metadata: { name },
        spec: {
          duration: "6m",
          cluster: { snapshot: [join(examples, name, "cluster.yaml")] },
          events: [{ at: DRAINED_AT, do: "drain", nodes: { names }, ...flags }]
        }
      }
      const at = makeFolder({ "scenario.yaml": JSON.stringify(scenario) })
      const { code, stderr, stdout } = await run("simulate", at("scenario.yaml"), "--quiet", "-o", "json")
      assert.strictEqual(code, 0, stderr)
      const result = JSON.parse(stdout)
      const trace: ReadonlyArray<Entry> = result.trace.filter((entry: Entry) => entry.at >= DRAINED_AT)
      const of = (type: string) => trace.filter((entry) => entry.type === type)

      const planned = nodes.flatMap(({ pods }) => pods)
      const leave = planned.filter(({ leaves }) => leaves.expected !== undefined)
      const drained = of("PodDeletionRequested").filter(({ by }) => by === "drain")
      assert.sameMembers(
        [...new Set(drained.map(({ pod }) => pod))],
        leave.map((pod) => pod.name)
      )
      const kinds = leave.map(({ replacement }) => replacement)
      assert.lengthOf(of("PodScheduled"), kinds.filter((one) => one?.kind === "placed").length)
      assert.sameMembers(
        [...new Set(of("PodUnschedulable").map(({ message }) => message))],
        [...new Set(kinds.flatMap((one) => one?.message ?? []))]
      )
      assert.strictEqual(result.warnings.length > 0 && !("force" in flags), plan.blocked, result.warnings.join("\n"))
    }, 30_000)
  }
})
