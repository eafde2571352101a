import { badRequest, groupResourceOf, type KubeObject, methodNotSupported, notFound, type Status } from "@rollcall/api"
import { column, nameColumn, printer } from "@rollcall/printers"
import * as Result from "effect/Result"
import { defineCustom } from "../../core/registry/defineCustom.ts"
import { selectionOf } from "../../core/watch/Selection.ts"
import type { Call } from "../call/Call.ts"
import { sendStatus } from "../call/respond.ts"
import { isStatus, listQuery } from "../request/Query.ts"
import { COMPONENT_STATUSES } from "../request/Routes.ts"
import type { HealthCheck } from "../root/HealthCheck.ts"
import type { ProbeComponent, ProbedComponent } from "./probeComponent.ts"
import { type ShapeContext, sendShaped } from "./shape.ts"

/** What says how the components are. */
export interface ComponentSources {
  readonly healthChecks: ReadonlyArray<HealthCheck>
  readonly probeComponent: ProbeComponent
}

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

/** The components, in the order in which they are listed. */
const components = ({
  healthChecks,
  probeComponent
}: ComponentSources): ReadonlyMap<string, () => Promise<ComponentStatus>> => {
  const isStoreHealthy = () => healthChecks.find(({ name }) => name === "etcd")?.check() ?? true
  const probed = (name: ProbedComponent) =>
    [name, () => probeComponent(name).then(({ isHealthy, message }) => statusOf(name, isHealthy, message))] as const
  return new Map([
    probed("controller-manager"),
    probed("scheduler"),
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
export const serveComponentStatuses = (context: ShapeContext & ComponentSources, call: Call) => {
  call.warnings = [WARNING]
  call.isDeprecated = true
  const { name, verb } = call.info
  if (verb === "watch") return sendStatus(call, methodNotSupported(groupResourceOf(COMPONENT_STATUSES), verb))
  const all = components(context)
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
