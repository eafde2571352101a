import { readFileSync } from "node:fs"
import { it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { type Host, kubectl } from "../src/index.ts"
import { startServerWithClient } from "./live.ts"
import { normalize } from "./normal.ts"

interface Step {
  readonly argv: ReadonlyArray<string>
  readonly stdin?: string
  readonly exit: number
  readonly stdout?: string
  readonly stderr?: string
  readonly mask?: ReadonlyArray<readonly [string, string]>
  readonly sorted?: boolean
}

interface Session {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  readonly setup?: ReadonlyArray<KubeObject & { readonly status?: unknown }>
  readonly steps: ReadonlyArray<Step>
}

const path = new URL("fixtures/sessions.json", import.meta.url)
const { cases } = JSON.parse(readFileSync(path, "utf8")) as { readonly cases: ReadonlyArray<Session> }

const clusterScoped = ["Node", "PersistentVolume", "PriorityClass"]
const pluralOf = (kind: string): string => {
  const lower = kind.toLowerCase()
  return lower.endsWith("s") ? `${lower}es` : lower.endsWith("y") ? `${lower.slice(0, -1)}ies` : `${lower}s`
}

const runSession = (session: Session) =>
  Effect.gen(function* () {
    const { client, url } = yield* startServerWithClient
    const namespace = `ns-${session.name.replace("/", "-")}`.slice(0, 60)
    const fill = (text: string) => text.replaceAll("{{ns}}", namespace)
    const send = (method: string, where: string, body: unknown, type = "application/json") =>
      client
        .raw({ method, path: where, headers: { "content-type": type }, body: JSON.stringify(body) })
        .pipe(
          Effect.tap(({ body: answer, code }) =>
            Effect.sync(() => assert.isBelow(code, 300, `setup: ${method} ${where}: ${answer}`))
          )
        )
    yield* send("POST", "/api/v1/namespaces", { metadata: { name: namespace } })
    yield* send("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } })
    for (const given of session.setup ?? []) {
      const object = JSON.parse(fill(JSON.stringify(given))) as typeof given
      const root = object.apiVersion.includes("/") ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`
      const inside = clusterScoped.includes(object.kind)
        ? root
        : `${root}/namespaces/${object.metadata.namespace ?? namespace}`
      const collection = `${inside}/${pluralOf(object.kind)}`
      yield* send("POST", `${collection}?fieldManager=setup`, object)
      if (object.status !== undefined) {
        yield* send(
          "PATCH",
          `${collection}/${object.metadata.name}/status`,
          { status: object.status },
          "application/merge-patch+json"
        )
      }
    }
    for (const step of session.steps) {
      const out = { stdout: "", stderr: "" }
      const host: Host = {
        api: client,
        namespace,
        server: url,
        stdout: (text) => {
          out.stdout += text
        },
        stderr: (text) => {
          out.stderr += text
        },
        readFiles: (name) => {
          const text = session.files?.[name]
          return Effect.succeed(text === undefined ? undefined : [{ path: name, text: fill(text) }])
        },
        stdin: Effect.succeed(fill(step.stdin ?? ""))
      }
      const exit = yield* kubectl(host, step.argv.slice(1).map(fill))
      const options = {
        namespace,
        nowMs: yield* Clock.currentTimeMillis,
        mask: step.mask ?? [],
        sorted: step.sorted ?? false
      }
      const shown = (text: string | undefined) => normalize(fill(text ?? ""), options)
      const command = step.argv.join(" ")
      assert.strictEqual(shown(out.stdout), shown(step.stdout), command)
      assert.strictEqual(shown(out.stderr), shown(step.stderr), command)
      assert.strictEqual(exit, step.exit, command)
    }
  })

describe("sessions with a genuine kubectl", () => {
  for (const session of cases) it.live(session.name, () => Effect.scoped(runSession(session)))
})
