import type { FlowSchema, KindName, KubeObject, PriorityLevelConfiguration } from "@rollcall/api"
import { type FlowControlCondition, formatTime } from "@rollcall/api"
import type { ApiRequest, Connection } from "@rollcall/cluster"
import { runAllSteps, type TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { ApiServerShape } from "../../core/ApiServer.ts"
import { ownedByServer } from "../../core/pipeline/ownedByServer.ts"
import { correctionOf, defaultObjects, type FlowControlObject, isObsolete } from "./defaultObjects.ts"

/** Returns the Dangling condition of a FlowSchema. Upstream: presyncFlowSchemaStatus of apf_controller.go. */
const conditionOf = (level: string, isFound: boolean): FlowControlCondition => {
  const start = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return isFound
    ? { type: "Dangling", status: "False", reason: "Found", message: `${start} and it exists` }
    : { type: "Dangling", status: "True", reason: "NotFound", message: `${start} but there is no such object` }
}

/** Returns the condition to write; undefined if the schema has it already. */
const danglingCondition = (schema: FlowSchema, isFound: boolean, nowMs: number): FlowControlCondition | undefined => {
  const wanted = conditionOf(schema.spec?.priorityLevelConfiguration.name ?? "", isFound)
  const current = schema.status?.conditions?.find(({ type }) => type === "Dangling")
  const isSame =
    current?.status === wanted.status && current?.reason === wanted.reason && current?.message === wanted.message
  return isSame ? undefined : { ...wanted, lastTransitionTime: formatTime(nowMs) }
}

/** The field managers. Upstream: fieldManager of pkg/registry/flowcontrol/ensurer, and ConfigConsumerAsFieldManager. */
const PRODUCER = "api-priority-and-fairness-config-producer-v1"
const CONSUMER = "api-priority-and-fairness-config-consumer-v1"
/** The server writes as itself. */
const identity = {
  user: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
  userAgent: "kube-apiserver"
}
const MINUTE_MS = 60_000
/**
 * The maximum number of status writes a minute for each FlowSchema: two servers could overwrite each other. As
 * upstream.
 */
const MAX_WRITES = 6

const apiVersion = "flowcontrol.apiserver.k8s.io/v1"

export interface ConfigurationWriterOptions {
  readonly server: ApiServerShape
  readonly timers: TimersShape
  /** Called for failed writes. */
  readonly warn: (message: string) => void
}

/** Maintains the server's default objects, and writes into each FlowSchema's status whether its level exists. */
export class ConfigurationWriter {
  private readonly options: ConfigurationWriterOptions
  private readonly connection: Connection
  /** The current minute since the epoch, and the status writes in it by FlowSchema. */
  private minute = 0
  private readonly writes = new Map<string, number>()

  constructor(options: ConfigurationWriterOptions) {
    this.options = options
    this.connection = options.server.connect(identity)
  }

  levels(): ReadonlyArray<PriorityLevelConfiguration> {
    return this.list("PriorityLevelConfiguration") as ReadonlyArray<PriorityLevelConfiguration>
  }

  schemas(): ReadonlyArray<FlowSchema> {
    return this.list("FlowSchema") as ReadonlyArray<FlowSchema>
  }

  /** Returns the missing default objects in their form for a new cluster, where all levels exist. */
  missing(): ReadonlyArray<KubeObject> {
    const { server } = this.options
    return defaultObjects
      .filter(({ kind, metadata: { name = "" } }) => this.current(kind, name) === undefined)
      .map((object) => ownedByServer<FlowControlObject>(server, object, PRODUCER))
      .map((object) => (object.kind === "FlowSchema" ? this.withStatus(object) : object))
  }

  /** Returns a FlowSchema with its first status, as `reportDangling` would write it. */
  private withStatus(object: FlowSchema): KubeObject {
    const { ownership, registry } = this.options.server
    const condition = danglingCondition(object, true, this.options.timers.now())
    const status = { conditions: condition === undefined ? [] : [condition] }
    const unowned: FlowSchema = { ...object, status }
    if (ownership === undefined) return unowned
    const write = { definition: registry.kinds.FlowSchema.definition, subresource: "status", manager: CONSUMER }
    const config: FlowSchema = { apiVersion, kind: object.kind, metadata: { name: object.metadata.name ?? "" }, status }
    const applied = runAllSteps(ownership.appliedInSteps(write, object, config, true))
    return Result.isSuccess(applied) ? applied.success : unowned
  }

  /** Creates missing default objects, repairs changed ones, and deletes obsolete ones. */
  ensure(): void {
    for (const wanted of defaultObjects) {
      const { kind } = wanted
      const { name = "" } = wanted.metadata
      const current = this.current(kind, name)
      if (current === undefined) {
        this.send({ verb: "create", kind, fieldManager: PRODUCER, object: wanted })
        continue
      }
      const object = correctionOf(current, wanted)
      if (object !== undefined) this.send({ verb: "update", kind, name, fieldManager: PRODUCER, object })
    }
    for (const object of [...this.schemas(), ...this.levels()]) {
      const { kind, metadata } = object
      if (isObsolete(object)) this.send({ verb: "delete", kind, name: metadata.name ?? "" })
    }
  }

  /** Writes the Dangling condition where it differs; `isUsable` says whether a level exists and is in use. */
  reportDangling(isUsable: (level: string) => boolean): void {
    const nowMs = this.options.timers.now()
    for (const schema of this.schemas()) {
      const { name = "" } = schema.metadata
      const condition = danglingCondition(schema, isUsable(schema.spec?.priorityLevelConfiguration.name ?? ""), nowMs)
      if (condition === undefined || !this.mayWrite(name, nowMs)) continue
      const body = { apiVersion, kind: "FlowSchema", metadata: { name }, status: { conditions: [condition] } }
      this.send({
        verb: "patch",
        kind: "FlowSchema",
        name,
        subresource: "status",
        patchType: "apply",
        fieldManager: CONSUMER,
        force: true,
        body
      })
    }
  }

  private mayWrite(name: string, nowMs: number): boolean {
    const minute = Math.floor(nowMs / MINUTE_MS)
    if (minute !== this.minute) this.writes.clear()
    this.minute = minute
    const count = (this.writes.get(name) ?? 0) + 1
    this.writes.set(name, count)
    return count <= MAX_WRITES
  }

  private current(kind: KindName, name: string): FlowControlObject | undefined {
    return this.options.server.registry.kinds[kind].cache.get("", name)?.object as FlowControlObject | undefined
  }

  private list(kind: KindName): ReadonlyArray<KubeObject> {
    const found: Array<KubeObject> = []
    this.options.server.registry.kinds[kind].cache.visit(undefined, (object) => found.push(object))
    return found
  }

  private send(request: ApiRequest): void {
    this.connection.send(request, (result) => {
      if (Result.isSuccess(result)) return
      const { failure } = result
      // Another writer changed the object first; the next round checks it again.
      const reason = failure._tag === "ApiError" ? failure.status.reason : undefined
      if (reason === "AlreadyExists" || reason === "Conflict" || reason === "NotFound") return
      this.options.warn(`cannot ${request.verb} ${request.kind}: ${failure.message}`)
    })
  }
}
