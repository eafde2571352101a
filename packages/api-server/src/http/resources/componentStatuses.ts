import { get } from "node:https"
import { badRequest, groupResourceOf, type KubeObject, methodNotSupported, notFound, type Status } from "@rollcall/api"
import * as Result from "effect/Result"
import { column, nameColumn, printer } from "../../core/printing/Printer.ts"
import { defineCustom } from "../../core/registry/KindDefinition.ts"
import { selectionOf } from "../../core/watch/Selection.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { isStatus, listQuery } from "../request/Query.ts"
import { COMPONENT_STATUSES } from "../request/Routes.ts"
import type { HealthCheck } from "../root/HealthCheck.ts"
import { type ShapeContext, sendShaped } from "./shape.ts"

interface ComponentStatus extends KubeObject {
  readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string; readonly message: string }>
}

const healthOf = ({ conditions: [condition] }: ComponentStatus): string =>
  condition?.status === "True" ? "Healthy" : "Unhealthy"

/** Upstream: pkg/printers/internalversion/printers.go, printComponentStatus. */
const printed = defineCustom(COMPONENT_STATUSES, {
  printer: printer<ComponentStatus>(
    nameColumn,
    column("Status", "string", "Whether the component is healthy.", healthOf),
    column("Message", "string", "What the component said.", ({ conditions }) => conditions[0]?.message ?? ""),
    column("Error", "string", "What went wrong.", () => "")
  )
})

const statusOf = (name: string, isHealthy: boolean, message: string): ComponentStatus => ({
  kind: "ComponentStatus",
  apiVersion: "v1",
  metadata: { name },
  conditions: [{ type: "Healthy", status: isHealthy ? "True" : "False", message }]
})

/** Upstream: pkg/probe/http, whose probes of components end after 20 seconds. */
const TIMEOUT_MS = 20_000
const MAX_BODY = 10_240

/** Probes a component on this host, whose certificate is self-signed. */
const probe = (name: string, port: number): Promise<ComponentStatus> =>
  new Promise((resolve) => {
    const url = `https://127.0.0.1:${port}/healthz`
    const fail = (why: string) => resolve(statusOf(name, false, `Get "${url}": ${why}`))
    const request = get(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => {
        if (body.length < MAX_BODY) body += chunk.toString()
      })
      response.on("end", () => resolve(statusOf(name, response.statusCode === 200, body)))
      response.on("error", ({ message }) => fail(message))
    })
    request.on("timeout", () => request.destroy(new Error("context deadline exceeded")))
    request.on("error", ({ message }) =>
      fail(message.includes("ECONNREFUSED") ? `dial tcp 127.0.0.1:${port}: connect: connection refused` : message)
    )
  })

/** The components, in the order in which they are listed. */
const components = (checks: ReadonlyArray<HealthCheck>): ReadonlyMap<string, () => Promise<ComponentStatus>> => {
  const isStoreHealthy = () => checks.find(({ name }) => name === "etcd")?.check() ?? true
  return new Map([
    ["controller-manager", () => probe("controller-manager", 10_257)],
    ["scheduler", () => probe("scheduler", 10_259)],
    [
      "etcd-0",
      async () =>
        isStoreHealthy() ? statusOf("etcd-0", true, "ok") : statusOf("etcd-0", false, "store is not healthy")
    ]
  ])
}

/** Returns those of the components' names that the selectors of a list match: components have no labels. */
const selectedOf = (call: Call, names: ReadonlyArray<string>): ReadonlyArray<string> | Status => {
  const options = listQuery(call.query, false)
  if (isStatus(options)) return options
  const selection = selectionOf({ resource: COMPONENT_STATUSES, index: undefined }, options)
  if (Result.isFailure(selection)) return badRequest(selection.failure.message)
  const { matches } = selection.success
  return matches === undefined ? names : names.filter((name) => matches(statusOf(name, true, "")))
}

const WARNING = "v1 ComponentStatus is deprecated in v1.19+"

/** Serves a read of one component or of all. */
export const serveComponentStatuses = (
  context: ShapeContext & { readonly healthChecks: ReadonlyArray<HealthCheck> },
  call: Call
) => {
  call.warnings = [WARNING]
  call.isDeprecated = true
  const { name, verb } = call.info
  if (verb === "watch") return sendStatus(call, methodNotSupported(groupResourceOf(COMPONENT_STATUSES), verb))
  const all = components(context.healthChecks)
  const send = (body: unknown) =>
    sendShaped(call, call.negotiated?.as === undefined ? undefined : printed, 200, body, [], context)
  const catching = (answer: Promise<unknown>) =>
    answer.then(
      (body) => call.guard(() => send(body)),
      (error) =>
        call.guard(() => {
          throw error
        })
    )
  const one = all.get(name)
  if (name === "") {
    const selected = selectedOf(call, [...all.keys()])
    if (isStatus(selected)) return sendStatus(call, selected)
    const head = { kind: "ComponentStatusList", apiVersion: "v1", metadata: {} }
    const asked = selected.flatMap((each) => all.get(each)?.() ?? [])
    catching(Promise.all(asked).then((items) => ({ ...head, items })))
  } else if (one === undefined) sendStatus(call, notFound({ group: "", resource: "componentstatus" }, name))
  else catching(one())
}
