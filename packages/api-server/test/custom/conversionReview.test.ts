import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import * as Result from "effect/Result"
import { type Conversion, readConverted, reviewOf, reviewVersionOf } from "../../src/custom/conversion/review.ts"

// The messages are those of kube-apiserver v1.36.2, recorded with a webhook that gave these answers.

const object: KubeObject = {
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name: "a", namespace: "default", uid: "u", generation: 3, labels: { q: "w" } }
}

const conversion: Conversion = { version: "v1", uid: "1", object, desiredAPIVersion: "stable.example.com/v2" }

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
type Json = any

const answerOf = (change: (answer: Json, made: Json) => void = () => {}): Json => {
  const made = { ...structuredClone(object), apiVersion: "stable.example.com/v2", spec: { host: "h" } }
  const answer = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid: "1", result: { status: "Success" }, convertedObjects: [made] }
  }
  change(answer, made)
  return JSON.parse(JSON.stringify(answer))
}

const messageOf = (change: (answer: Json, made: Json) => void): string => {
  const result = readConverted(answerOf(change), conversion)
  return Result.isFailure(result) ? result.failure.message : "converted"
}

const prefix = "conversion webhook for stable.example.com/v1, Kind=CronTab"

const faults: ReadonlyArray<readonly [string, (answer: Json, made: Json) => void, string]> = [
  ["no response", (answer) => delete answer.response, `${prefix} failed: no response provided`],
  [
    "nothing",
    (answer) => ["apiVersion", "kind", "response"].map((name) => delete answer[name]),
    `${prefix} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`
  ],
  [
    "another version of the review",
    (answer) => (answer.apiVersion = "apiextensions.k8s.io/v1beta1"),
    `${prefix} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`
  ],
  [
    "another kind",
    (answer) => (answer.kind = "Other"),
    `${prefix} failed: no kind "Other" is registered for version "apiextensions.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`
  ],
  ["another uid", (answer) => (answer.response.uid = "x"), `${prefix} failed: expected response.uid="1", got "x"`],
  [
    "a failure",
    (answer) => (answer.response.result = { status: "Failure", message: "cannot do it" }),
    `${prefix} failed: cannot do it`
  ],
  [
    "a failure without a message",
    (answer) => (answer.response.result = { status: "Failure" }),
    `${prefix} failed: response.result.status was 'Failure', not 'Success'`
  ],
  [
    "no result",
    (answer) => delete answer.response.result,
    `${prefix} failed: response.result.status was '', not 'Success'`
  ],
  ["no objects", (answer) => (answer.response.convertedObjects = null), `${prefix} returned 0 objects, expected 1`],
  [
    "too many objects",
    (answer, made) => answer.response.convertedObjects.push(made),
    `${prefix} returned 2 objects, expected 1`
  ],
  ["null", (answer) => (answer.response.convertedObjects = [null]), "unexpected end of JSON input"],
  [
    "a string",
    (answer) => (answer.response.convertedObjects = ["x"]),
    "json: cannot unmarshal string into Go value of type map[string]interface {}"
  ],
  [
    "no kind",
    (answer) => (answer.response.convertedObjects = [{ apiVersion: "stable.example.com/v2" }]),
    `Object 'Kind' is missing in '{"apiVersion":"stable.example.com/v2"}'`
  ],
  [
    "no version",
    (_, made) => delete made.apiVersion,
    `${prefix} returned invalid object at index 0: invalid groupVersion (expected stable.example.com/v2, received )`
  ],
  [
    "another kind of object",
    (_, made) => (made.kind = "Other"),
    `${prefix} returned invalid object at index 0: invalid kind (expected CronTab, received Other)`
  ],
  [
    "another name",
    (_, made) => (made.metadata.name = "o"),
    `${prefix} returned invalid object: must have the same name: a != o`
  ],
  [
    "another namespace",
    (_, made) => (made.metadata.namespace = "o"),
    `${prefix} returned invalid object: must have the same namespace: default != o`
  ],
  [
    "another UID",
    (_, made) => (made.metadata.uid = "o"),
    `${prefix} returned invalid object: must have the same UID: u != o`
  ],
  [
    "no metadata",
    (_, made) => delete made.metadata,
    `${prefix} returned invalid object: must have the same name: a != `
  ],
  [
    "a list of labels",
    (_, made) => (made.metadata.labels = ["x"]),
    `${prefix} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`
  ],
  [
    "a number in labels",
    (_, made) => (made.metadata.labels = { a: 1 }),
    `${prefix} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`
  ],
  [
    "invalid annotations",
    (_, made) => (made.metadata.annotations = { "a b": "c" }),
    `${prefix} returned invalid metadata: metadata.annotation: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
  ]
]

describe("ConversionReview", () => {
  it("names the object, and has the response that Go writes", () =>
    assert.deepStrictEqual(reviewOf(conversion), {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      request: { uid: "1", desiredAPIVersion: "stable.example.com/v2", objects: [object] },
      response: { uid: "", convertedObjects: null, result: { metadata: {} } }
    }))

  it("has the first version that both sides know", () => {
    assert.strictEqual(reviewVersionOf(["v7", "v1beta1", "v1"]), "v1beta1")
    assert.strictEqual(reviewVersionOf(["v7"]), undefined)
  })

  for (const [name, change, message] of faults) {
    it(`is refused with ${name}`, () => assert.strictEqual(messageOf(change), message))
  }

  it("changes labels and annotations, and no other metadata", () => {
    const result = readConverted(
      answerOf((_, made) => {
        made.metadata = {
          ...made.metadata,
          labels: { a: "b" },
          annotations: { c: "d" },
          generation: 9,
          finalizers: ["x/y"]
        }
      }),
      conversion
    )
    assert.deepStrictEqual(Result.isSuccess(result) && result.success.metadata, {
      name: "a",
      namespace: "default",
      uid: "u",
      generation: 3,
      labels: { a: "b" },
      annotations: { c: "d" }
    })
  })

  it("accepts an answer in v1beta1 without its kind and uid", () => {
    const answer = answerOf((made) => {
      delete made.kind
      delete made.apiVersion
      delete made.response.uid
    })
    assert.isTrue(Result.isSuccess(readConverted(answer, { ...conversion, version: "v1beta1" })))
  })
})
