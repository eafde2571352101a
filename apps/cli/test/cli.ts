import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as TestConsole from "effect/testing/TestConsole"
import { vi } from "vitest"
import { exitCodeOf, rollcall } from "../src/rollcall.ts"

// The first command of each kind loads its modules, while other tests keep both cores busy.
vi.setConfig({ testTimeout: 30_000 })

/** The program, and the Node.js that the workspace pins. */
export const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const workspaceNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url))
export const node = existsSync(workspaceNode) ? workspaceNode : process.execPath

export interface RunResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const text = (chunk: string | Uint8Array): string =>
  typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)

/** Runs a command line in this process. */
export const run = (...args: ReadonlyArray<string>): Promise<RunResult> =>
  Effect.gen(function* () {
    const written = { stdout: "", stderr: "" }
    const into = (name: keyof typeof written) => {
      const append = (chunk: string | Uint8Array) =>
        Effect.sync(() => {
          written[name] += text(chunk)
        })
      return () => Sink.forEach(append)
    }
    const exit = yield* rollcall(args).pipe(
      Effect.provide(Stdio.layerTest({ stdout: into("stdout"), stderr: into("stderr") })),
      Effect.exit
    )
    const lines = (logged: ReadonlyArray<unknown>) => logged.map((line) => `${String(line)}\n`).join("")
    return {
      code: exitCodeOf(exit),
      stdout: lines(yield* TestConsole.logLines) + written.stdout,
      stderr: lines(yield* TestConsole.errorLines) + written.stderr
    }
  }).pipe(Effect.provide([NodeServices.layer, TestConsole.layer]), Effect.runPromise)

/** Creates a temporary folder with these files; returns a function from name to path. */
export const makeFolder = (files: Readonly<Record<string, string>>): ((name: string) => string) => {
  const path = mkdtempSync(join(tmpdir(), "rollcall-cli-"))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  return (name) => join(path, name)
}

/** A scenario of one zone in which a node falls silent at 1 min; `more` is added to its spec. */
export const scenario = (more = "", name = "small"): string => `
apiVersion: rollcall.dev/v1alpha1
kind: Scenario
metadata: { name: ${name} }
spec:
  duration: 3m
  cluster:
    nodes: [{ name: a, count: 2, zone: zone-a }]
    objects:
      - { apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { nodeName: a-0, containers: [{ name: c, image: x }] } }
  events:
    - { at: 1m, fault: partition, nodes: { names: [a-0] } }
  ${more}
`

export const expectationThatHolds = "expect: [{ name: nobody is evicted, evictions: {}, max: 0 }]"
export const expectationThatFails = "expect: [{ name: everybody is evicted, evictions: {}, min: 1 }]"
