import type { MessageType, Scalar, WireType } from "@rollcall/api/wire"
import * as Effect from "effect/Effect"
import { isObject, type Json, type JsonObject } from "../Case.ts"
import type { Question } from "../Requests.ts"
import { type Asking, askBoth } from "./asking.ts"
import { collectionOf, objectNamed, type Resource } from "./Resource.ts"
import { objectOf, removeAll, shownKind } from "./runSession.ts"

/** What is odd in a field of a type. */
interface Oddities extends Readonly<Record<Scalar, ReadonlyArray<Json>>> {
  /** In place of lists, maps and messages. */
  readonly whole: ReadonlyArray<Json>
}

/** Texts that JSON, HTML and messages quote, the edges of numbers, almost valid forms. */
const quoted: Oddities = {
  whole: [],
  string: ["<é&>", "", "a\n\u007f"],
  bool: [true, false],
  int32: [-1, 2147483647, 0],
  int64: [-1, 9223372036854775000, 0],
  double: [-1, 0.5],
  bytes: ["YQ", ""],
  Time: ["2021-03-04T05:06:07.5+02:00", "0000-01-01T00:00:00Z"],
  MicroTime: ["2021-03-04T05:06:07.123456+02:00", "9999-12-31T23:59:59.999999Z"],
  Duration: ["1.5s", "-1m"],
  Quantity: ["-1", "0.0001", "1e3", "8Ei"],
  IntOrString: [-1, "", "101%", "<é>"],
  RawExtension: [{}, { "<é>": [1.0, null] }],
  FieldsV1: [{ "f:<é>": {} }],
  any: [{}, "<é>", [null]]
}

/** Values of other types, and texts and numbers that are beyond what most fields may have. */
const mistaken: Oddities = {
  whole: [null, "a", 1, [null], { a: null }],
  string: ["x".repeat(300), "A.b/c_d", "a.b-c", 1, null, ["a"]],
  bool: ["true", null, 0],
  int32: [2147483648, 1.5, "1", null],
  int64: [1e20, 1.5, "1", null],
  double: [1e300, "1", null],
  bytes: ["YQ==\n", 1, null],
  Time: ["2021-02-30T00:00:00Z", "2021-01-01 00:00:00Z", "", 1],
  MicroTime: ["2021-01-01T00:00:00Z", "2021-01-01T24:00:00.000000Z", "", 1],
  Duration: ["1", "", 1, null],
  Quantity: [5, 1.5, "1Zi", "0.5m", "", null],
  IntOrString: [1.5, 4294967296, true, null, "65536", "http_"],
  RawExtension: ["a", 1, null],
  FieldsV1: ["a", { a: 1 }, null],
  any: [null, 1.5, true]
}

/** Values that are valid in many fields, and so are validated further. */
const plausible: Oddities = {
  whole: [],
  string: ["a", "10.1.2.3", "Exists", "a.io/b", "http", "True"],
  bool: [true, false],
  int32: [1, 80, 65_536],
  int64: [1, 1800],
  double: [1],
  bytes: ["YQ=="],
  Time: ["2021-01-01T00:00:00Z"],
  MicroTime: ["2021-01-01T00:00:00.000000Z"],
  Duration: ["1h"],
  Quantity: ["1", "1Gi", "100m"],
  IntOrString: [80, "http", "50%"],
  RawExtension: [{ apiVersion: "v1", kind: "A" }],
  FieldsV1: [{ "f:a": {} }],
  any: [1, "a", {}, [1]]
}

/** What `--seed` chooses from. */
export const sweeps = [quoted, mistaken, plausible] as const

/** How deep an absent field is made with what it needs around it. */
const MADE_DEPTH = 2
const MAX_DEPTH = 9
const ODD_KEY = "<é&>"

/** Returns values of a type, each with one odd value at another place. */
export const variantsOf = (
  oddities: Oddities,
  value: Json | undefined,
  type: WireType,
  depth = MAX_DEPTH
): ReadonlyArray<Json> => {
  switch (type.type) {
    case "scalar":
      return oddities[type.scalar]
    case "list": {
      const [first, ...rest] = Array.isArray(value) ? value : []
      const twice = first === undefined ? [] : [[first, first, ...rest]]
      const items = variantsOf(oddities, first, type.items, depth)
      return [[], ...twice, ...items.map((item) => [item, ...rest])]
    }
    case "map": {
      const present = isObject(value) ? value : {}
      const [[key, item]] = [...Object.entries(present), ["k", undefined] as const] as [[string, Json | undefined]]
      const keyed = variantsOf(oddities, item, type.values, depth).map((each) => ({ ...present, [key]: each }))
      return [{}, { ...present, [ODD_KEY]: item ?? zeroOf(type.values) }, ...keyed]
    }
    case "message":
      return depth <= 0 ? [] : variantsOfMessage(oddities, isObject(value) ? value : {}, type.message, depth)
  }
}

const variantsOfMessage = (
  oddities: Oddities,
  value: JsonObject,
  message: MessageType,
  depth: number
): ReadonlyArray<Json> =>
  [...message.fields.values()].flatMap(({ name, type }) => {
    if (name === "managedFields") return []
    const own = value[name]
    const left = own === undefined ? Math.min(depth, MADE_DEPTH) - 1 : depth
    const whole = type.type === "scalar" ? [] : oddities.whole
    return [...whole, ...variantsOf(oddities, own, type, left)].map((each) => ({ ...value, [name]: each }))
  })

const zeroOf = (type: WireType): Json => (type.type === "scalar" ? "1" : type.type === "list" ? [] : {})

/** Which of the odd objects a request of its kind asks about: metadata has the same rules in every kind. */
const isAsked = (base: JsonObject, odd: JsonObject, { kind }: Resource, isStatus: boolean): boolean => {
  if (odd.kind !== base.kind || odd.apiVersion !== base.apiVersion) return false
  if (odd.metadata !== base.metadata) return kind === "ConfigMap" && !isStatus
  return (odd.status !== base.status) === isStatus
}

interface Verb {
  readonly label: string
  readonly isStatus?: boolean
  /** Whether the object is there; the request has its revision, unless the verb needs none. */
  readonly changes: boolean
  readonly question: (collection: string, name: string, body: JsonObject) => Question
}

const patchWith =
  (form: string, options: string, part = ""): Verb["question"] =>
  (collection, name, body) => ({
    method: "PATCH",
    path: `${collection}/${name}${part}?dryRun=All${options}`,
    headers: { "Content-Type": `application/${form}` },
    body
  })

const putAt =
  (part: string): Verb["question"] =>
  (collection, name, body) => ({ method: "PUT", path: `${collection}/${name}${part}?dryRun=All`, body })

const APPLY = "&fieldManager=sweep&force=true"
const verbs: ReadonlyArray<Verb> = [
  {
    label: "POST",
    changes: false,
    question: (collection, _, body) => ({ method: "POST", path: `${collection}?dryRun=All`, body })
  },
  { label: "apply", changes: false, question: patchWith("apply-patch+yaml", APPLY) },
  { label: "PUT", changes: true, question: putAt("") },
  { label: "merge patch", changes: true, question: patchWith("merge-patch+json", "") },
  { label: "strategic patch", changes: true, question: patchWith("strategic-merge-patch+json", "") },
  { label: "apply to an object", changes: true, question: patchWith("apply-patch+yaml", APPLY) },
  { label: "PUT status", changes: true, isStatus: true, question: putAt("/status") },
  {
    label: "merge patch status",
    changes: true,
    isStatus: true,
    question: patchWith("merge-patch+json", "", "/status")
  },
  { label: "apply status", changes: true, isStatus: true, question: patchWith("apply-patch+yaml", APPLY, "/status") }
]

const NAME = "sweep"
const nameOf = ({ metadata }: JsonObject): string => String(isObject(metadata) ? metadata.name : NAME)

const atRevision = (object: JsonObject, stored: JsonObject | undefined): JsonObject => {
  const { metadata } = stored ?? {}
  if (!isObject(metadata) || !isObject(object.metadata)) return object
  return { ...object, metadata: { ...object.metadata, resourceVersion: metadata.resourceVersion ?? "" } }
}

/** Asks both servers to write objects of a kind that are valid but for one odd value; they store none of them. */
export const sweep = Effect.fnUntraced(function* (
  asking: Asking,
  resource: Resource,
  oddities: Oddities,
  isOver: () => boolean
) {
  const { findings } = asking
  const kind = shownKind(resource)
  const collection = collectionOf(resource)
  const base = objectNamed(resource, NAME)
  const odd = variantsOf(oddities, base, { type: "message", message: resource.type }).filter(isObject)
  const path = `${collection}/${nameOf(base)}`
  const question = { method: "POST", path: collection, body: base }
  for (const verb of verbs) {
    const hasStatus = resource.type.fields.has("status")
    if ((verb.isStatus && !hasStatus) || (resource.isDry && verb.changes)) continue
    const stored = verb.changes ? (yield* askBoth(asking, kind, { label: "POST", question })).bodies.map(objectOf) : []
    for (const body of odd.filter((each) => isAsked(base, each, resource, verb.isStatus === true))) {
      if (isOver()) break
      findings.earlier = []
      const [genuine, ours] = [stored[0], stored[1]].map((each) =>
        verb.label.startsWith("PUT") ? atRevision(body, each) : body
      ) as [JsonObject, JsonObject]
      const asked = (object: JsonObject) => verb.question(collection, nameOf(base), object)
      yield* askBoth(asking, kind, { label: verb.label, question: asked(genuine), own: asked(ours) })
    }
    if (verb.changes) yield* removeAll(asking, () => [path])
  }
})
