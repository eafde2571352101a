import type { KindName, KubeObject } from "@rollcall/api"
import { type Answer, type ApiRequest, type Connection, ConnectionError } from "@rollcall/cluster"
import type { Rng } from "@rollcall/time"
import * as Result from "effect/Result"
import { type Ledger, MARK, NO_OBJECT, stateOf } from "./Ledger.ts"

/** The kinds of the mixed load: of several groups, namespaced and cluster-scoped, with and without a status. */
export const loadKinds = ["ConfigMap", "Lease", "Node", "Pod", "PodDisruptionBudget", "Secret"] as const
export type LoadKind = (typeof loadKinds)[number]

export const loadNamespace = "default"

const versions: Readonly<Record<LoadKind, string>> = {
  ConfigMap: "v1",
  Lease: "coordination.k8s.io/v1",
  Node: "v1",
  Pod: "v1",
  PodDisruptionBudget: "policy/v1",
  Secret: "v1"
}

const containers = [{ name: "c", image: "registry.k8s.io/pause:3.10" }]
const bodies: Readonly<Record<LoadKind, Readonly<Record<string, unknown>>>> = {
  ConfigMap: { data: { a: "b" } },
  Lease: { spec: { holderIdentity: "load", leaseDurationSeconds: 40 } },
  Node: { spec: {} },
  Pod: { spec: { containers, nodeName: "nowhere" } },
  PodDisruptionBudget: { spec: { maxUnavailable: 1, selector: { matchLabels: { app: "load" } } } },
  Secret: { stringData: { a: "b" } }
}

const isNamespaced = (kind: LoadKind): boolean => kind !== "Node"

/** Returns the key of an object in a ledger. */
export const keyOf = (kind: string, name: string): string => `${kind}/${name}`

const newObject = (kind: LoadKind, name: string, mark: string): KubeObject =>
  ({
    apiVersion: versions[kind],
    kind,
    metadata: { name, ...(isNamespaced(kind) ? { namespace: loadNamespace } : {}), annotations: { [MARK]: mark } },
    ...bodies[kind]
  }) as KubeObject

export interface LoadOptions {
  readonly connection: Connection
  readonly ledger: Ledger
  readonly chance: Rng
  readonly writer: number
  /** How often the server was started before. It makes the marks of writes distinct across restarts. */
  readonly serverStart: number
  /** Called once when the server no longer answers. */
  readonly onServerGone: () => void
  /** Called with a response that no write of this load should get. */
  readonly onUnexpectedResponse: (what: string) => void
}

/**
 * The number of names that a writer uses for each kind. Few, so that each is created, changed and deleted repeatedly.
 */
const KEYS_PER_KIND = 3

/**
 * Writes objects of all kinds in sequence: creates, updates of read objects, patches, deletes. Each key belongs to this
 * writer alone, so that the expected state of the server is known exactly. Ends when the server is gone, or when the returned function is called.
 */
export const startWriter = ({
  chance,
  connection,
  onServerGone,
  ledger,
  serverStart,
  writer,
  onUnexpectedResponse
}: LoadOptions): (() => void) => {
  const objects = new Map<string, KubeObject>()
  let count = 0
  let stopped = false

  const next = () => {
    if (stopped) return
    const kind = loadKinds[Math.floor(chance() * loadKinds.length)] ?? "ConfigMap"
    const name = `w${writer}-${Math.floor(chance() * KEYS_PER_KIND)}`
    const key = keyOf(kind, name)
    const target = { kind: kind as KindName, ...(isNamespaced(kind) ? { namespace: loadNamespace } : {}) }
    const mark = `${serverStart}.${writer}.${count++}`
    const previous = objects.get(key)
    // An existing object is deleted with a probability of 20 %, updated with 40 %, and patched otherwise.
    const choice = chance()
    const request: ApiRequest =
      ledger.last(key).mark === undefined
        ? { ...target, verb: "create", object: newObject(kind, name, mark) }
        : choice < 0.2 || ledger.last(key).isTerminating
          ? { ...target, verb: "delete", name, options: { gracePeriodSeconds: 0 } }
          : choice < 0.6 && previous !== undefined
            ? { ...target, verb: "update", name, object: withMark(previous, mark) }
            : {
                ...target,
                verb: "patch",
                name,
                patchType: "merge",
                body: { metadata: { annotations: { [MARK]: mark } } }
              }
    ledger.begin(key, request.verb === "delete" ? undefined : mark)
    connection.send(request, (answer) => handleAnswer(request, key, answer))
  }

  const handleAnswer = (request: ApiRequest, key: string, answer: Answer) => {
    if (stopped) return
    if (Result.isFailure(answer)) {
      if (answer.failure instanceof ConnectionError) {
        stopped = true
        onServerGone()
        return
      }
      ledger.refused(key)
      onUnexpectedResponse(`${request.verb} ${key}: ${answer.failure.code} ${answer.failure.message}`)
    } else if (request.verb === "delete") {
      objects.delete(key)
      ledger.acknowledge(key, NO_OBJECT)
    } else {
      const object = answer.success as KubeObject
      objects.set(key, object)
      ledger.acknowledge(key, stateOf(object))
    }
    next()
  }
  next()
  return () => {
    stopped = true
  }
}

const withMark = (object: KubeObject, mark: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [MARK]: mark } }
})
