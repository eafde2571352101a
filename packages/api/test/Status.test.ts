import { assert, describe, it } from "vitest"
import {
  badRequest,
  conflict,
  forbidden,
  groupResourceOf,
  invalid,
  notFound,
  resourceOf,
  success,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unknownError,
  unstructuredResponse
} from "../src/index.ts"
import { isFailure, methodNotSupported } from "../src/status/Status.ts"

const leases = groupResourceOf(resourceOf("Lease"))
const nodes = groupResourceOf(resourceOf("Node"))

describe("Status objects of the API", () => {
  it("name resources with their group, in the text and in the details", () => {
    assert.deepStrictEqual(notFound(leases, "n"), {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'leases.coordination.k8s.io "n" not found',
      reason: "NotFound",
      details: { name: "n", group: "coordination.k8s.io", kind: "leases" },
      code: 404
    })
  })

  it("omit empty fields", () => {
    assert.notProperty(badRequest("no"), "details")
    assert.notProperty(unknownError("no"), "reason")
    assert.deepStrictEqual(notFound(nodes, "n").details, { name: "n", kind: "nodes" })
    assert.deepStrictEqual(unauthorized().message, "Unauthorized")
  })

  it("forbid an object, a collection, or a path", () => {
    assert.strictEqual(forbidden(nodes, "n", "no").message, 'nodes "n" is forbidden: no')
    assert.strictEqual(forbidden(nodes, "", "no").message, "nodes is forbidden: no")
    assert.strictEqual(forbidden({ group: "", resource: "" }, "", "no").message, "forbidden: no")
  })

  it("list each error of an invalid object as a cause, without repeats", () => {
    const fault = { type: "FieldValueRequired", field: "spec", badValue: "", detail: "" } as const
    const status = invalid({ group: "apps", kind: "Deployment" }, "d", [fault, fault])
    assert.strictEqual(status.message, 'Deployment.apps "d" is invalid: spec: Required value')
    assert.deepStrictEqual(status.details, {
      name: "d",
      group: "apps",
      kind: "Deployment",
      causes: [
        { reason: "FieldValueRequired", message: "Required value", field: "spec" },
        { reason: "FieldValueRequired", message: "Required value", field: "spec" }
      ]
    })
  })

  it("include the time to retry after", () => {
    assert.deepStrictEqual(tooManyRequests("later", 10).details, { retryAfterSeconds: 10 })
    assert.deepStrictEqual(tooManyRequests("later", 0).details, {})
    const late = tooLargeResourceVersion(99, 4, 1)
    assert.strictEqual(late.message, "Timeout: Too large resource version: 99, current: 4")
    assert.deepStrictEqual(late.details, {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1
    })
  })

  it("name the verb that a resource does not support", () => {
    const { code, message } = methodNotSupported(leases, "delete")
    assert.deepStrictEqual(
      [code, message],
      [405, 'delete is not supported on resources of kind "leases.coordination.k8s.io"']
    )
  })

  it("differ from objects", () => {
    assert.isTrue(isFailure(badRequest("no")))
    assert.isFalse(isFailure(success()))
    assert.isFalse(isFailure({ kind: "Node" }))
    assert.isFalse(isFailure(undefined))
  })

  it("quotes names as Go does", () => {
    const resource = { group: "", resource: "pods" }
    assert.match(invalid({ group: "", kind: "Pod" }, 'a"b', []).message ?? "", /^Pod "a\\"b" is invalid$/)
    assert.match(forbidden(resource, "a\n", "no").message ?? "", /^pods "a\\n" is forbidden: no$/)
    assert.match(conflict(resource, "a\\", "no").message ?? "", / on pods "a\\\\": no$/)
  })

  it("say of an answer without a Status what client-go says", () => {
    const of = (code: number, body: string, type?: string) => {
      const { details, message, reason } = unstructuredResponse(code, body, type)
      return [reason, message, details?.causes?.[0]?.message]
    }
    assert.deepStrictEqual(of(404, "404 page not found\n"), [
      "NotFound",
      "the server could not find the requested resource",
      "404 page not found"
    ])
    assert.deepStrictEqual(of(403, "no access"), ["Forbidden", "no access", "no access"])
    assert.deepStrictEqual(of(403, "{}", "application/json"), ["Forbidden", "unknown", "unknown"])
    assert.deepStrictEqual(of(406, ""), [
      "NotAcceptable",
      "the server was unable to respond with a content type that the client supports",
      ""
    ])
    assert.deepStrictEqual(of(502, "oops", "text/plain"), [
      "InternalError",
      'an error on the server ("oops") has prevented the request from succeeding',
      "oops"
    ])
    assert.deepStrictEqual(of(302, ""), [
      undefined,
      "the server responded with the status code 302 but did not return more information",
      ""
    ])
  })
})
